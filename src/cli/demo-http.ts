/** The last part of the demo: the gateway serves over HTTP, for the reader's own clients, until it is stopped. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { connectHints, formatHints } from "./connect-hints.ts";
import { EXIT } from "./exit-code.ts";
import { cyan, dim, print } from "./terminal.ts";

export interface DemoPlace {
  readonly home: string;
  readonly config: string;
}

/** Resolves with the exit code when a signal has come, or the gateway has ended. */
export async function serveDemo(
  { home, config }: DemoPlace,
  stopped: Promise<number>,
  title: (text: string) => void,
): Promise<number> {
  const where = ["--http", "127.0.0.1:0", "--ready-json", "--home", home, "--config", config];
  const args = ["serve", ...where, "--log-level", "error"];
  const gateway = spawn(process.execPath, [process.argv[1]!, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
    // A signal of the terminal reaches the whole group; the gateway is told by us, once.
    detached: true,
  });
  const ended = new Promise<number>((resolve) => gateway.once("exit", (code) => resolve(code ?? 1)));
  const ready = await Promise.race([readLine(gateway.stdout), ended.then(() => undefined)]);
  if (ready === undefined) return ended;
  const { url, tokenFile } = JSON.parse(ready) as { url: string; tokenFile: string };
  const { tokens } = JSON.parse(readFileSync(tokenFile, "utf8")) as { tokens: { value?: string }[] };
  const token = tokens.find(({ value }) => value !== undefined)?.value ?? "";
  title(`Your turn: it serves at ${url} now, with the notes of this demo behind it`);
  print(`   token ${cyan(token)}`);
  print(formatHints(connectHints({ url, token }), cyan));
  print(
    dim("\n   Ctrl-C ends it. Nothing of the demo stays; `repertoire serve --http` serves your own servers."),
  );
  const exitCode = await Promise.race([stopped, ended]);
  gateway.kill("SIGTERM");
  await ended;
  return exitCode === EXIT.interrupted ? EXIT.ok : exitCode;
}

function readLine(stream: NodeJS.ReadableStream): Promise<string | undefined> {
  const lines = createInterface({ input: stream });
  return new Promise((resolve) => {
    lines.once("line", resolve);
    lines.once("close", () => resolve(undefined));
  });
}
