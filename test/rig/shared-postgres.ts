/**
 * One PostgreSQL for all test files of a run. The process that runs the files owns it and starts it when the first file asks, so it
 * costs nothing where none does. A test that stops the server, or changes its settings, starts its own (`startPostgres`).
 */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { createDatabase, dropDatabase, VARIABLE } from "./database-door.ts";
import { startPostgres, type DatabaseOptions, type Postgres } from "./postgres.ts";

/** What the process that runs the files does. A second call, for another project of the same run, does nothing. */
export async function offerPostgres(): Promise<() => Promise<void>> {
  if (process.env[VARIABLE] !== undefined) return async () => {};
  let postgres: Promise<Postgres> | undefined;
  const answer = async (method: string | undefined, url: string): Promise<unknown> => {
    const shared = await (postgres ??= startPostgres());
    const asked = new URL(url, "http://localhost").searchParams;
    return method === "DELETE" ? drop(shared, asked) : create(shared, asked);
  };
  const server = createServer(({ method, url = "" }, response) => {
    answer(method, url).then(
      (value) => response.end(JSON.stringify(value)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await listen(server);
  process.env[VARIABLE] = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return async () => {
    delete process.env[VARIABLE];
    server.close();
    server.closeAllConnections();
    await (await postgres)?.close();
  };
}

async function create(shared: Postgres, asked: URLSearchParams): Promise<string> {
  return shared.createDatabase(Object.fromEntries(asked));
}

async function drop(shared: Postgres, asked: URLSearchParams): Promise<null> {
  await shared.dropDatabase(asked.get("url")!);
  return null;
}

function listen(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  server.unref();
  return promise;
}

/** An empty database that is gone when the test has finished. */
export async function temporaryDatabase(options?: DatabaseOptions): Promise<string> {
  const url = await createDatabase(options);
  onTestFinished(() => dropDatabase(url));
  return url;
}

/** One empty database for the tests of a file, or of a `describe`; it is there once they run. */
export function useDatabase(options?: DatabaseOptions): { readonly url: string } {
  let made: string | undefined;
  beforeAll(async () => {
    made = await createDatabase(options);
  });
  afterAll(async () => {
    if (made !== undefined) await dropDatabase(made);
  });
  return {
    get url() {
      if (made === undefined)
        throw new Error("The database is there once tests run, not while they are collected.");
      return made;
    },
  };
}
