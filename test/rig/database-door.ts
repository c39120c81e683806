/** How the processes of a test run ask the one that owns the shared PostgreSQL for databases. */
import type { DatabaseOptions } from "./postgres.ts";

/** Where a test file asks; the files' processes inherit it. */
export const VARIABLE = "TEST_POSTGRES";

/** The url of a database of the shared server, for the caller to drop. */
export async function createDatabase(options: DatabaseOptions = {}): Promise<string> {
  return (await ask("POST", { ...options })) as string;
}

export async function dropDatabase(url: string): Promise<void> {
  await ask("DELETE", { url });
}

async function ask(method: string, query: Record<string, string>): Promise<unknown> {
  const address = process.env[VARIABLE];
  if (address === undefined) throw new Error(`${VARIABLE} is not set: these tests run under vitest.`);
  // A test that waits for a process without a turn of the loop would find a kept connection closed, and not know it.
  const headers = { connection: "close" };
  const response = await fetch(`${address}?${new URLSearchParams(query).toString()}`, { method, headers });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return JSON.parse(text);
}
