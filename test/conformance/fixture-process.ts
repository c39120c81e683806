import { join } from "node:path";
import type { FixtureEra } from "./fixture/serve-http.ts";
import { endProcess, firstLineOf, startProcess } from "./processes.ts";

const PROGRAM = join(import.meta.dirname, "fixture-server.ts");

/** How a gateway starts the fixture by itself. */
export function fixtureCommand(era: FixtureEra): { command: string; args: string[] } {
  return { command: process.execPath, args: [PROGRAM, "--era", era, "--stdio"] };
}

export interface FixtureProcess {
  readonly url: string;
  close(): Promise<void>;
}

/** The fixture over HTTP. */
export async function startFixture(era: FixtureEra): Promise<FixtureProcess> {
  const child = startProcess([PROGRAM, "--era", era, "--port", "0"], { stdio: "pipe" });
  const { url } = (await firstLineOf(child)) as { url: string };
  return { url, close: () => endProcess(child) };
}
