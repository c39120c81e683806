/** Clients that others wrote, as processes: they list, call and show errors through the gateway, over HTTP and stdio. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
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

it(
  "the MCP Inspector lists and calls tools over stdio, in both eras",
  async () => {
    const { folder, clientFile } = await openPlace();
    const place = ["--cli", "--config", clientFile, "--server", "near", "--format", "json"];
    const inspect = (...args: string[]) => runProgram(INSPECTOR, [...place, ...args], folder);
    const [listed, called] = await Promise.all([
      inspect("--protocol-era", "legacy", "--method", "tools/list"),
      inspect("--protocol-era", "modern", ...call("cell__echo", "hello")),
    ]);
    requireTools(listed);
    requireEcho(called, "hello");
  },
  TEST_MS,
);

it(
  "mcporter lists and calls tools over HTTP and stdio, and shows what is wrong with an unknown one",
  async () => {
    const { folder, clientFile } = await openPlace();
    const port = (...args: string[]) => runProgram(MCPORTER, ["--config", clientFile, ...args], folder);
    const [listed, far, near, unknown] = await Promise.all([
      port("list", "--json"),
      port("call", "far.cell__echo", "key=from afar", "--output", "json"),
      port("call", "near.cell__echo", "key=from here", "--output", "json"),
      port("call", "far.cell__ecko", "key=x", "--output", "json"),
    ]);
    const { servers } = JSON.parse(succeeded(listed)) as {
      servers: { name: string; status: string; tools: { name: string }[] }[];
    };
    expect(servers.map(({ name, status }) => [name, status])).toEqual([
      ["far", "ok"],
      ["near", "ok"],
    ]);
    for (const { tools } of servers)
      expect(toolNamesOf(tools)).toEqual(expect.arrayContaining(EXPECTED_TOOLS));
    expect(JSON.parse(succeeded(far))).toMatchObject({ content: [{ text: "echo from afar" }] });
    expect(JSON.parse(succeeded(near))).toMatchObject({ content: [{ text: "echo from here" }] });
    expect(unknown.code).not.toBe(0);
    expect(unknown.stdout).toContain("Did you mean cell__echo?");
  },
  TEST_MS,
);
