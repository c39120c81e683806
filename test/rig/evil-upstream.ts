/**
 * A scripted MCP server that misbehaves as it is told, without the SDK, so that nothing keeps it from being wrong:
 *
 *     node test/rig/evil-upstream.ts '<JSON or the path of a JSON file>'          over stdio
 *     node test/rig/evil-upstream.ts '<JSON or path>' --http                      on a free port of loopback
 *
 * With `--http` the first line of stderr is `{"port":…,"url":…}`. Without a script it is a good server with the tools `echo`, `add`,
 * `slow`, `fail` and `count`, of both eras. The script is an `EvilScript`; `evil-process.ts` starts one for a test.
 */
import { spawn } from "node:child_process";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createEvilHttp } from "./evil-http.ts";
import { createEvilServer, endProcess, journal } from "./evil-server.ts";
import { loadScript, type EvilScript } from "./evil-script.ts";
import { createStdioWire, serveStdin, stopReading } from "./evil-stdio.ts";

const LIFE_MS = 120_000;

async function main(): Promise<void> {
  const argv = process.argv.slice(2);
  const script = loadScript(argv.find((argument) => argument !== "--http"));
  setTimeout(() => process.exit(70), script.lifeMs ?? LIFE_MS).unref();
  journal(script, { start: { pid: process.pid, argv, environment: Object.keys(process.env) } });
  if (script.ignoreSigterm) process.on("SIGTERM", () => process.stderr.write("ignored SIGTERM\n"));
  if (script.ignoreStdinEnd) setInterval(() => {}, LIFE_MS);
  for (let i = 0; i < (script.grandchildCount ?? 0); i++) startGrandchild(script);
  if (argv.includes("--http")) await serveHttp(script);
  else await serveStdio(script);
}

async function serveStdio(script: EvilScript): Promise<void> {
  const wire = createStdioWire();
  const { onStart } = script;
  if (onStart?.delayMs !== undefined) await sleep(onStart.delayMs);
  if (onStart) await wire.disturb(onStart);
  if (onStart?.exit) endProcess(onStart.exit);
  serveStdin(script, createEvilServer(script), wire);
  if (onStart?.stopReading) stopReading();
}

async function serveHttp(script: EvilScript): Promise<void> {
  const { onStart } = script;
  if (onStart?.delayMs !== undefined) await sleep(onStart.delayMs);
  if (onStart?.exit) endProcess(onStart.exit);
  const http = createEvilHttp(script, createEvilServer(script));
  http.listen(0, "127.0.0.1", () => {
    const { port } = http.address() as AddressInfo;
    process.stderr.write(`${JSON.stringify({ port, url: `http://127.0.0.1:${port}/mcp` })}\n`);
  });
}

/** In the same process group and with a pipe of ours, as the real server behind `npx` is; it ends by itself in the end. */
function startGrandchild(script: EvilScript): void {
  const program = `setTimeout(() => {}, ${script.lifeMs ?? LIFE_MS})`;
  const child = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "inherit", "inherit"] });
  journal(script, { grandchild: child.pid });
}

await main();
