/** Clients that others wrote, as processes: they list, call and show errors through the gateway, over HTTP and stdio. */
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readPages, ROOT, type Block } from "./fixtures/docs/blocks.ts";
import { installInto } from "./fixtures/docs/program-run.ts";
import { BIN } from "./fixtures/gateway-process.ts";
import { temporaryFolder } from "./fixtures/temporary.ts";
import { programOf, runProgram, type ProgramEnd } from "./rig/client-program.ts";
import { openHttpGateway } from "./rig/http-gateway.ts";

const INSPECTOR = programOf("@modelcontextprotocol/inspector", "mcp-inspector");
const MCPORTER = programOf("mcporter", "mcporter");
const SERVER = join(import.meta.dirname, "fixtures/cell-server.ts");
/** Each test starts a handful of programs, and they share the machine with the other tests. */
const TEST_MS = 90_000;
const ERAS = ["legacy", "modern"] as const;

/** A gateway over HTTP, and a config of clients that names it as `far` and one over stdio as `near`. */
async function openPlace() {
  const folder = temporaryFolder();
  const state = join(folder, "state");
  mkdirSync(state);
  const cell = { command: process.execPath, args: [SERVER, "legacy", "stdio", state] };
  const config = { mcpServers: { cell }, exposure: "full" };
  const gatewayFile = join(folder, "repertoire.json");
  writeFileSync(gatewayFile, JSON.stringify(config));
  const { url, token, headers } = await openHttpGateway({ config });
  const far = { type: "streamable-http", url: url.href, headers };
  const near = { type: "stdio", command: process.execPath, args: [BIN, "serve", "--config", gatewayFile] };
  const clientFile = join(folder, "client.json");
  writeFileSync(clientFile, JSON.stringify({ mcpServers: { far, near } }));
  return { folder, clientFile, url, token };
}

const toolNamesOf = (tools: readonly { readonly name: string }[]): string[] => tools.map(({ name }) => name);
const EXPECTED_TOOLS = ["browse_components", "execute", "cell__echo", "cell__ask"];

/** What the program says is in the failure, if it is one. */
function succeeded({ code, stdout, stderr }: ProgramEnd): string {
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

const call = (name: string, key: string): string[] => [
  "--method",
  "tools/call",
  "--tool-name",
  name,
  "--tool-arg",
  `key=${key}`,
];

function requireTools(listed: ProgramEnd): void {
  const { result } = JSON.parse(succeeded(listed)) as { result: { tools: { name: string }[] } };
  expect(toolNamesOf(result.tools)).toEqual(expect.arrayContaining(EXPECTED_TOOLS));
}

function requireEcho(called: ProgramEnd, key: string): void {
  expect(JSON.parse(succeeded(called))).toMatchObject({ result: { content: [{ text: `echo ${key}` }] } });
}

it(
  "the MCP Inspector lists and calls tools at /mcp with a token, in both eras",
  async () => {
    const { folder, url, token } = await openPlace();
    const address = ["--transport", "http", "--server-url", url.href, "--format", "json"];
    const asStranger = (...args: string[]) =>
      runProgram(INSPECTOR, ["--cli", ...address, "--stored-auth-only", ...args], folder);
    const inspect = (era: string, ...args: string[]) =>
      asStranger("--header", `Authorization: Bearer ${token}`, "--protocol-era", era, ...args);
    const tries = ERAS.map(async (era) => {
      const [listed, called] = await Promise.all([
        inspect(era, "--method", "tools/list"),
        inspect(era, ...call("cell__echo", era)),
      ]);
      requireTools(listed);
      requireEcho(called, era);
    });
    const [unknown, stranger] = await Promise.all([
      inspect("legacy", ...call("cell__ecko", "x")),
      asStranger("--method", "tools/list"),
      ...tries,
    ]);
    expect(unknown.code).not.toBe(0);
    expect(unknown.stderr).toContain("cell__ecko");
    expect(stranger.code).not.toBe(0);
    expect(stranger.stderr).toContain("auth_required");
  },
  TEST_MS,
);

/** The blocks of the page about clients that are marked as run here. */
const BLOCKS = readPages()
  .find(({ path }) => path === "docs/clients.md")!
  .blocks.filter(({ run }) => run?.["by"] === "real-clients");
const NOTES = join(ROOT, "examples/first-minute/notes-server.mjs");

interface Project {
  readonly folder: string;
  /** What a shell of its owner has: `repertoire` and `npx` among the commands, the address and the token. */
  readonly env: Record<string, string>;
}

/** A project with the clients installed, and a gateway over HTTP; both gateways have the server `notes`. */
async function openProject(): Promise<Project> {
  const folder = temporaryFolder();
  const notes = { command: process.execPath, args: [NOTES, join(folder, "notes.txt")] };
  const config = { mcpServers: { notes } };
  // Clients hand a few variables on, and XDG's are not among them.
  mkdirSync(join(folder, ".config/repertoire"), { recursive: true });
  writeFileSync(join(folder, ".config/repertoire/repertoire.json"), JSON.stringify(config));
  installInto(folder);
  const bin = join(folder, "bin");
  mkdirSync(bin);
  const command = (name: string, script: string): void =>
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const node = `exec '${process.execPath}'`;
  command("repertoire", `${node} '${BIN}' "$@"`);
  command(
    "npx",
    `name="$1"; shift
case "$name" in
  @modelcontextprotocol/inspector) ${node} '${INSPECTOR}' "$@";;
  mcporter) ${node} '${MCPORTER}' "$@";;
esac
echo "npx would install $name" >&2; exit 1`,
  );
  for (const { run, text } of BLOCKS)
    if (typeof run?.["file"] === "string") writeFileSync(join(folder, run["file"]), text);
  const { url, token } = await openHttpGateway({ config });
  const env = { REPERTOIRE_URL: url.href, REPERTOIRE_TOKEN: token };
  return { folder, env: { ...env, PATH: `${bin}:${process.env["PATH"]}`, HOME: folder } };
}

function runInProject(
  command: string,
  args: readonly string[],
  { folder, env }: Project,
): Promise<ProgramEnd> {
  const cache = process.env["TEST_CACHE_HOME"];
  const whole = { ...env, ...(cache !== undefined && { XDG_CACHE_HOME: cache }) };
  return new Promise((resolve) => {
    const child = execFile(
      command,
      args,
      { cwd: folder, env: whole, timeout: 60_000 },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : 1, stdout, stderr }),
    );
    child.stdin?.end();
  });
}

async function runBlock({ language, text, run = {}, place }: Block, project: Project): Promise<void> {
  if (language === "js") {
    const file = `${place.replaceAll(/\W/g, "-")}.mjs`;
    writeFileSync(join(project.folder, file), text);
    const printed = succeeded(await runInProject(process.execPath, [file], project));
    const expected = run["prints"] as string[];
    expect(printed.trimEnd().split("\n"), place).toEqual(
      expected.map((line) => expect.stringMatching(new RegExp(`^${line}$`))),
    );
    return;
  }
  if (language !== "sh") return;
  const lines = text.trimEnd().split("\n");
  const shown = run["shows"] as string[];
  expect(lines.length).toBe(shown.length);
  for (const [at, line] of lines.entries())
    expect(succeeded(await runInProject("bash", ["-c", line], project)), line).toContain(shown[at]);
}

const laneOf = ({ language, text }: Block): string => `${language} ${/REPERTOIRE_URL/.test(text)}`;

it(
  "the programs and commands of the page about clients do what it says, word for word",
  async () => {
    expect(BLOCKS.map(({ language }) => language)).toEqual([
      "sh",
      "sh",
      "json",
      "sh",
      "js",
      "js",
      "js",
      "js",
    ]);
    const project = await openProject();
    // In lanes that do not keep the same thing at the same time: each client at its gateway, one block after the other.
    const lanes = Object.values(Object.groupBy(BLOCKS, laneOf)) as Block[][];
    await Promise.all(
      lanes.map(async (lane) => {
        for (const block of lane) await runBlock(block, project);
      }),
    );
  },
  TEST_MS * 2,
);
