/**
 * A server that passes the conformance suite when it is asked directly:
 *
 *     node test/conformance/fixture-server.ts --era legacy|modern|both --stdio
 *     node test/conformance/fixture-server.ts --era legacy|modern|both --port 0
 *
 * Over HTTP the first line of stdout is `{"url":…}`. It ends with its stdin, so that it never outlives who started it.
 */
import { parseArgs } from "node:util";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { createChanges, type Changes } from "./fixture/changes.ts";
import { announceChanges, createFixtureServer } from "./fixture/create-server.ts";
import { serveHttp, type FixtureEra } from "./fixture/serve-http.ts";

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      era: { type: "string", default: "both" },
      stdio: { type: "boolean", default: false },
      port: { type: "string", default: "0" },
    },
  });
  const era = values.era as FixtureEra;
  const changes = createChanges();
  if (values.stdio) return serveStreams(era, changes);
  const url = await serveHttp(era, changes, Number(values.port));
  process.stdout.write(`${JSON.stringify({ url })}\n`);
  process.stdin.on("end", () => process.exit(0)).resume();
}

async function serveStreams(era: FixtureEra, changes: Changes): Promise<void> {
  const connect = ({ era: spoken }: { readonly era: "legacy" | "modern" }) => {
    const server = createFixtureServer(changes, spoken);
    announceChanges(server, changes);
    return server;
  };
  if (era === "legacy") await connect({ era: "legacy" }).connect(new StdioServerTransport());
  else serveStdio(connect, { legacy: era === "modern" ? "reject" : "serve" });
}

await main();
