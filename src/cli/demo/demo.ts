/**
 * `repertoire demo`: a minute with the real thing. It starts the gateway as an MCP client would, in a temporary home with two
 * servers, one of which is broken, talks to it over stdio, keeps what worked, calls it from a second client, and shows what
 * comes back. Then it serves the same over HTTP until it is stopped. Nothing of it stays: no process, and no file.
 */
import type { GlobalOptions } from "../global-options.ts";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serveDemo } from "./demo-http.ts";
import { showNextSteps } from "./demo-next.ts";
import { tellStory, type DemoPlace } from "./demo-story.ts";
import { EXIT } from "../terminal/exit-code.ts";
import { watchSignals } from "../terminal/signals.ts";
import { defineCommand } from "../command.ts";

export const demoCommand = defineCommand({
  name: "demo",
  group: "start",
  summary: "Start a gateway in a temporary home, talk to it, show what happens, and serve it over HTTP",
  options: [{ flags: "--no-serve", about: "End after the story" }],
  run: demo,
});

interface DemoOptions extends GlobalOptions {
  readonly serve: boolean;
}

async function demo({ serve }: DemoOptions): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "repertoire-demo-"));
  // Also where a second signal ends the process at once.
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const { stopped } = watchSignals();
  const abort = new AbortController();
  void stopped.then(() => abort.abort());
  const place = createPlace(folder);
  await tellStory(place, abort.signal);
  if (abort.signal.aborted) return stopped;
  if (serve) return serveDemo(place, stopped);
  showNextSteps();
  return EXIT.ok;
}

/** The server keeps its notes in a file: each gateway of the demo starts one of its own, and they are to have the same notes. */
function createPlace(folder: string): DemoPlace {
  const home = join(folder, "home");
  const config = join(folder, "repertoire.json");
  const server = [process.argv[1], "demo-server", join(folder, "notes")];
  const notes = { command: process.execPath, args: server };
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(config, JSON.stringify({ mcpServers: { notes, broken: { command: "no-such-program" } } }));
  return { home, config };
}
