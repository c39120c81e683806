/** Starts an evil upstream for a test and ends it with the test. */
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { eventually } from "../fixtures/temporary.ts";
import type { EvilScript } from "./evil-script.ts";

const EVIL_UPSTREAM = join(import.meta.dirname, "evil-upstream.ts");

/** The command of an evil upstream, for the config of a gateway. */
export function evilCommand(script: EvilScript = {}): { command: string; args: string[] } {
  return { command: process.execPath, args: [EVIL_UPSTREAM, JSON.stringify(script)] };
}

/** An evil upstream with raw bytes on its pipes. */
export function startEvil(script: EvilScript = {}, ...flags: string[]) {
  const { command, args } = evilCommand(script);
  const child = spawn(command, [...args, ...flags], { stdio: "pipe" });
  onTestFinished(() => void child.kill("SIGKILL"));
  const chunks: Buffer[] = [];
  let stderr = "";
  let stderrBytes = 0;
  let exit: { code: number | null; signal: NodeJS.Signals | null } | undefined;
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => {
    stderrBytes += chunk.length;
    if (stderr.length < 10_000) stderr += chunk.toString();
  });
  child.stdin.on("error", () => {});
  child.on("exit", (code, signal) => (exit = { code, signal }));
  const stdout = () => Buffer.concat(chunks).toString();
  const messages = () => stdout().split("\n").flatMap(parseMessage);
  return {
    child,
    chunks,
    stdout,
    messages,
    stderr: () => stderr,
    stderrBytes: () => stderrBytes,
    send: (message: unknown) => child.stdin.write(`${JSON.stringify(message)}\n`),
    /** The message that has something, or a failure that shows what came instead. */
    message: (what: string, test: (message: Record<string, unknown>) => boolean) =>
      eventually(what, () => messages().find(test)),
    answer: (id: unknown) => eventually(`the answer to ${String(id)}`, () => messages().find(isAnswerTo(id))),
    exited: () => eventually("the exit", () => exit),
  };
}

/** An evil upstream on a port of loopback. */
export async function startEvilHttp(script: EvilScript = {}) {
  const evil = startEvil(script, "--http");
  const line = await eventually("the port", () => /^\{.*\}$/m.exec(evil.stderr())?.[0]);
  const { port, url } = JSON.parse(line) as { port: number; url: string };
  return { ...evil, port, url };
}

/** The lines of a `countFile` or a `journalFile`, which is not there before the first one. */
export function linesOf(file: string): string[] {
  return existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
}

function isAnswerTo(id: unknown) {
  return (message: Record<string, unknown>) => message["id"] === id && message["method"] === undefined;
}

/** A line that is no JSON object is garbage, which is what some of these tests look for elsewhere. */
function parseMessage(line: string): Record<string, unknown>[] {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? [value as Record<string, unknown>] : [];
  } catch {
    return [];
  }
}
