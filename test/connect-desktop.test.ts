/** What `connect` wrote, started as a client with windows starts it: with the PATH of a desktop and no variable of a shell. */
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { parse } from "smol-toml";
import { expect, it, onTestFinished } from "vitest";
import { BIN, INITIALIZE, runCli } from "./fixtures/gateway-process.ts";
import { eventually, temporaryFolder } from "./fixtures/temporary.ts";

interface Entry {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Record<string, string>;
}

/** The answer to `initialize` of exactly this command. */
async function startAsDesktop({ command, args, env }: Entry, home: string): Promise<Record<string, unknown>> {
  const child = spawn(command, args, {
    cwd: "/",
    env: { HOME: home, PATH: "/usr/bin:/bin", ...env },
    stdio: "pipe",
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  child.on("error", (error) => (stderr += String(error)));
  child.stdin.on("error", () => {});
  child.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
  const line = await eventually(
    `an answer (${stderr})`,
    () => (stdout.includes("\n") ? stdout.split("\n", 1)[0]! : undefined),
    60_000,
  );
  child.kill();
  return JSON.parse(line) as Record<string, unknown>;
}

it.each([
  [
    "cursor",
    ".cursor/mcp.json",
    (text: string) => (JSON.parse(text) as { mcpServers: Record<string, Entry> }).mcpServers,
  ],
  [
    "codex",
    ".codex/config.toml",
    (text: string) => (parse(text) as unknown as { mcp_servers: Record<string, Entry> }).mcp_servers,
  ],
] as const)(
  "C6: the entry that connect writes for %s starts without the PATH of a shell",
  async (client, file, serversIn) => {
    const folder = temporaryFolder();
    // A name that PATH leads to is no reason to write the name.
    const bin = join(folder, "bin");
    mkdirSync(bin);
    symlinkSync(BIN, join(bin, "repertoire"));
    const connected = runCli(["connect", client, "--yes"], {
      folder,
      env: { PATH: `${bin}:${process.env["PATH"] ?? ""}` },
    });
    expect(connected).toMatchObject({ status: 0 });
    const entry = serversIn(readFileSync(join(folder, file), "utf8"))["repertoire"]!;
    expect(await startAsDesktop(entry, folder)).toMatchObject({
      id: "init",
      result: { serverInfo: { name: "repertoire" } },
    });
  },
  90_000,
);
