/** One gateway for a test file of the console, which can be killed and started again where it was, and clients of it. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { readFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import type { ConsolePlace } from "./console-link.ts";
import { createPlace, startHttp, type HttpProcess, type Place } from "./http-process.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures");

/** What a tool answered, as a test reads it. */
interface Called {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
}

export interface StandClient {
  call(name: string, args?: Record<string, unknown>): Promise<Called>;
  close(): Promise<void>;
}

export interface ConsoleStand {
  readonly place: Place;
  /** For pages. */
  readonly own: ConsolePlace;
  gateway(): HttpProcess;
  /** A client by what it calls itself. */
  join(name: string): Promise<StandClient>;
  /** `kill -9`. */
  kill(): Promise<void>;
  /** On the same port and home. */
  startAgain(): Promise<void>;
  close(): Promise<void>;
}

/** A server that this Node runs, as a config names it. */
export const fixture = (file: string, ...args: string[]) => ({
  command: process.execPath,
  args: [join(FIXTURES, file), ...args],
});

export function linesOf<T>(file: string): T[] {
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
  return lines.map((line) => JSON.parse(line) as T);
}

/** `prepare` may write the config and the home before the gateway starts. */
export async function openStand(prepare: (place: Place) => void | Promise<void>): Promise<ConsoleStand> {
  const place = createPlace();
  await prepare(place);
  const owner = place.owner();
  let gateway = await startHttp(place);
  const { url } = gateway;
  const clients = new Set<StandClient>();
  const joinAs = async (name: string): Promise<StandClient> => {
    const joined = await connectAs(name, url, owner);
    clients.add(joined);
    return joined;
  };
  const kill = async (): Promise<void> => {
    gateway.signal("SIGKILL");
    await gateway.exited();
  };
  return {
    place,
    own: { home: place.home, url },
    gateway: () => gateway,
    join: joinAs,
    kill,
    async startAgain() {
      gateway = await startHttp(place, { port: Number(url.port) });
    },
    async close() {
      for (const each of clients) await each.close();
      await gateway.stop();
      place.remove();
    },
  };
}

async function connectAs(
  name: string,
  url: URL,
  headers: Readonly<Record<string, string>>,
): Promise<StandClient> {
  const client = new Client({ name, version: "1.0.0" });
  const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers } });
  await client.connect(transport);
  return {
    call: async (tool, args = {}) =>
      (await client.callTool({ name: tool, arguments: args })) as unknown as Called,
    // The gateway may be gone already.
    close: () => client.close().catch(() => undefined),
  };
}
