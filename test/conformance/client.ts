/**
 * Repertoire as the client, for the suite's client scenarios:
 *
 *     conformance client --command "node test/conformance/client.ts" --scenario tools_call
 *
 * The suite appends the address of its server, and says in the environment which scenario runs and at which revision. With
 * CONFORMANCE_HOST the scenario is played by the host that listens there, otherwise here.
 */
import type { JsonObject } from "../../src/core/json.ts";
import { askHost } from "./client/ask-host.ts";
import type { Scenario } from "./client/play-scenario.ts";

async function main(): Promise<void> {
  const scenario: Scenario = {
    name: process.env["MCP_CONFORMANCE_SCENARIO"] ?? "",
    url: process.argv.at(-1)!,
    isModern: process.env["MCP_CONFORMANCE_PROTOCOL_VERSION"] === "2026-07-28",
    context: JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as JsonObject,
  };
  const socket = process.env["CONFORMANCE_HOST"];
  const { isError, lines } = await (socket === undefined ? playHere(scenario) : askHost(socket, scenario));
  for (const line of lines) console.error(line);
  process.exitCode = isError ? 1 : 0;
}

async function playHere(scenario: Scenario) {
  const { playSafely } = await import("./client/host.ts");
  return playSafely(scenario);
}

await main();
