/** The suite's side of `host.ts`, without the gateway behind it. */
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";
import type { Scenario } from "./play-scenario.ts";

export interface Outcome {
  readonly isError: boolean;
  readonly lines: readonly string[];
}

export async function askHost(socket: string, scenario: Scenario): Promise<Outcome> {
  const connection = connect(socket);
  connection.write(`${JSON.stringify(scenario)}\n`);
  return (await readLine(connection)) as Outcome;
}

/** One line of JSON. */
export async function readLine(connection: Socket): Promise<unknown> {
  for await (const line of createInterface({ input: connection })) return JSON.parse(line);
  throw new Error("the other side has gone");
}
