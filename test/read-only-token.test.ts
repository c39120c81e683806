/**
 * A token with `--effects read` causes no effect: not directly, not through code, a saved tool, a workflow, a resource or a
 * resume. The server, the folder and the web server write down what really happened to them.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PERMISSIONS } from "../src/core/principal.ts";
import { openHomeTokens } from "../src/server/auth/tokens.testkit.ts";
import { openSession, send } from "../src/server/http/http.testkit.ts";
import {
  createPlace,
  messageOf,
  startHttp,
  type Headers,
  type HttpProcess,
  type Place,
} from "./rig/http-process.ts";
import { modernAs, until } from "./rig/http-stand.ts";

const LEDGER = join(import.meta.dirname, "fixtures/ledger-server.mjs");
const LEGACY = "2025-11-25";
const ERAS = ["2026-07-28", LEGACY] as const;
type Era = (typeof ERAS)[number];

const stand = {} as {
  place: Place;
  gateway: HttpProcess;
  web: Server;
  requests: string[];
  /** May do everything. */
  ann: Headers;
  /** May do everything that is no effect, in any scope. */
  reader: Headers;
  folder: string;
  log: string;
};

/** Everything that happened to the world. */
function effects(): string[] {
  const lines = existsSync(stand.log) ? readFileSync(stand.log, "utf8").split("\n").filter(Boolean) : [];
  const calls = lines
    .map((line) => JSON.parse(line) as { method: string; what: string })
    .filter(({ method, what }) => method === "tools/call" && what !== "look")
    .map(({ what }) => what);
  return [...calls, ...readdirSync(stand.folder), ...stand.requests.filter((one) => !one.startsWith("GET"))];
}

async function ask(who: Headers, era: Era, method: string, params: Record<string, unknown>) {
  if (era !== LEGACY)
    return messageOf((await send(stand.gateway.url, modernAs(who, "r", method, params))).text);
  const session = await openSession(stand.gateway.url, "", who);
  const body = JSON.stringify({ jsonrpc: "2.0", id: "r", method, params });
  return messageOf((await send(stand.gateway.url, { headers: session, body })).text);
}

async function call(who: Headers, name: string, args: object = {}, era: Era = "2026-07-28") {
  const { result } = await ask(who, era, "tools/call", { name, arguments: args });
  return {
    ...(result?.["structuredContent"] as object),
    isError: result?.["isError"],
    whole: JSON.stringify(result ?? null),
  };
}

const workflowOf = (node: object) => ({
  ir_version: "1.0",
  outputs: { done: { source: "${act}" } },
  nodes: [{ id: "act", ...node }],
});

/** Saved by ann; each causes one effect of another kind when she calls it. */
const SAVED: Readonly<Record<string, () => object>> = {
  tool_node: () => workflowOf({ type: "work__change", params: { n: 1 } }),
  code_node: () => workflowOf({ type: "code", params: { code: "return await mcp.work.drop({ n: 1 });" } }),
  workflow_node: () => workflowOf({ type: "workflow", params: { name: "act:tool_node" } }),
  batch_node: () => workflowOf({ type: "work__mute", params: { n: "${item}" }, batch: { items: [1, 2] } }),
  file_node: () =>
    workflowOf({ type: "write_file", params: { path: join(stand.folder, "written.txt"), content: "x" } }),
  http_node: () => workflowOf({ type: "http", params: { url: webUrl(), method: "POST", body: "x" } }),
  shell_node: () =>
    workflowOf({
      type: "shell",
      params: { command: 'echo x > "$1"', args: [join(stand.folder, "shell.txt")] },
    }),
};

function webUrl(): string {
  return `http://127.0.0.1:${(stand.web.address() as AddressInfo).port}/effect`;
}

beforeAll(async () => {
  const place = createPlace();
  const folder = join(place.folder, "written");
  mkdirSync(folder);
  const requests: string[] = [];
  const web = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    response.end("ok");
  });
  await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", resolve));
  const log = join(place.folder, "work.jsonl");
  place.configure({
    exposure: "full",
    mcpServers: {
      work: {
        command: process.execPath,
        args: [LEDGER, log, "work"],
        tools: { effects: { look: "read", change: "write" } },
      },
    },
    workflows: { allowShell: true, allowPrivateHttp: true, fileRoots: [folder] },
  });
  Object.assign(stand, {
    place,
    folder,
    web,
    requests,
    log,
    ann: place.tokenFor("ann", PERMISSIONS),
    reader: place.tokenFor("reader", PERMISSIONS, { effects: ["read"] }),
    gateway: await startHttp(place),
  });
  await save();
});

afterAll(async () => {
  await stand.gateway.stop();
  await new Promise((resolve) => stand.web.close(resolve));
  stand.place.remove();
});

async function save(): Promise<void> {
  const drafts = join(stand.place.home, "drafts");
  mkdirSync(drafts, { recursive: true, mode: 0o700 });
  for (const [name, workflow] of Object.entries(SAVED)) {
    writeFileSync(join(drafts, `${name}.json`), JSON.stringify(workflow()));
    const asked = { draft_name: name, final_name: `act:${name}`, description: "Acts." };
    const saved = await call(stand.ann, "save_to_library", asked);
    if (saved.isError === true) throw new Error(saved.whole);
  }
  const codes = { code: "return await mcp.work.change({ n: 1 });", nested: "return await mcp.act.code({});" };
  for (const [name, code] of Object.entries(codes)) {
    const saved = await call(stand.ann, "execute", { code, save_as: `act:${name}` });
    if (saved.isError === true) throw new Error(saved.whole);
  }
}

/** Each causes an effect where it may. */
const WAYS: readonly (readonly [what: string, name: string, args: object])[] = [
  ["a tool that writes", "work__change", {}],
  ["a tool that destroys", "work__drop", {}],
  ["a tool that says nothing of what it does", "work__mute", {}],
  ["code", "execute", { code: "return await mcp.work.change({});" }],
  ["code that catches what it is refused", "execute", { code: CATCHING("change") }],
  ["a saved tool", "mcp__act__code", {}],
  ["a saved tool by its name", "execute", { name: "act:code" }],
  ["a version of a saved tool", "act:code@1", {}],
  ["a saved tool in code", "execute", { code: "return await mcp.act.code({});" }],
  ["a saved tool that uses another", "mcp__act__nested", {}],
  ...Object.keys(SAVED).flatMap((name) => [
    [`the workflow ${name} as a tool`, `mcp__act__${name}`, {}] as const,
    [`the workflow ${name} by its name`, "execute", { name: `act:${name}` }] as const,
  ]),
];

function CATCHING(tool: string): string {
  return `try { await mcp.work.${tool}({}); return "done"; } catch (error) { return String(error); }`;
}

describe.each(ERAS)("a read-only token, in the era %s", (era) => {
  it.each(WAYS)("causes no effect through %s", async (_, name, args) => {
    const before = effects();
    const answer = await call(stand.reader, name, args, era);
    expect(effects()).toEqual(before);
    expect(answer.whole).toContain("refused");
  });

  it("looks, reads and runs code that does no more", async () => {
    expect((await call(stand.reader, "work__look", {}, era)).whole).toContain("look by work");
    const code = "return [await mcp.work.look({}), 1 + 1];";
    expect(await call(stand.reader, "execute", { code }, era)).toMatchObject({ success: true });
    const { result } = await ask(stand.ann, era, "resources/list", {});
    const { uri } = (result!["resources"] as { uri: string }[]).find((one) => one.uri.includes("work"))!;
    const before = effects();
    expect(JSON.stringify(await ask(stand.reader, era, "resources/read", { uri }))).toContain(
      '"text":"work"',
    );
    expect(effects()).toEqual(before);
  });

  it("is refused again when it resumes what was refused, also with its own correction", async () => {
    const before = effects();
    const asked = [
      { code: "await mcp.work.look({}); await mcp.work.change({});" },
      {},
      { uncertain: "retry" },
      { code: "await mcp.work.look({}); await mcp.work.drop({});" },
    ];
    let runId: string | undefined;
    for (const args of asked) {
      const resume = runId === undefined ? {} : { resume: runId };
      const answer = await call(stand.reader, "execute", { ...args, ...resume }, era);
      runId = (answer as { run_id?: string }).run_id ?? runId;
      expect([args, answer.whole]).toEqual([args, expect.stringContaining("refused")]);
    }
    expect(effects()).toEqual(before);
  });

  it("does not go on with a run that it began when it could do more", async () => {
    const name = `demoted-${era}`;
    const wide = stand.place.tokenFor(name, PERMISSIONS, { tools: ["work__*", "mcp__act__*"] });
    await until("the token", async () => (await call(wide, "list_library")).isError !== true);
    const code =
      "await mcp.work.look({}); if (args.ok !== true) throw new Error('no'); return await mcp.work.change({});";
    const failed = await call(wide, "execute", { code }, era);
    const runId = (failed as { run_id?: string }).run_id;
    openHomeTokens(stand.place.home).revoke(name);
    const narrow = stand.place.tokenFor(name, PERMISSIONS, { effects: ["read"] });
    await until("the new token", async () => (await call(narrow, "list_library")).whole.includes("items"));
    const before = effects();
    const resumed = await call(narrow, "execute", { resume: runId, inputs: { ok: true } }, era);
    expect(resumed.whole).toContain("refused");
    expect(effects()).toEqual(before);
  });

  it("does not go on with a run of another", async () => {
    const code = "if (args.ok !== true) throw new Error('no'); return await mcp.work.change({});";
    const failed = await call(stand.ann, "execute", { code }, era);
    const before = effects();
    const runId = (failed as { run_id?: string }).run_id;
    const resumed = await call(stand.reader, "execute", { resume: runId, inputs: { ok: true } }, era);
    expect(resumed).toMatchObject({ isError: true });
    expect(effects()).toEqual(before);
  });
});

describe("a token with some tools", () => {
  it.each(ERAS)("calls no other, and reads no resource beside them, in the era %s", async (era) => {
    const name = `some-${era}`;
    const some = stand.place.tokenFor(name, PERMISSIONS, { tools: ["work__look"] });
    await until("the token", async () => (await call(some, "list_library")).whole.includes("items"));
    expect((await call(some, "work__look", {}, era)).whole).toContain("look by work");
    const before = readFileSync(stand.log, "utf8");
    for (const tool of ["change", "drop", "mute"])
      expect((await call(some, `work__${tool}`, {}, era)).whole).toContain("refused");
    expect((await call(some, "execute", { code: CATCHING("change") }, era)).whole).toContain("refused");
    const { result } = await ask(stand.ann, era, "resources/list", {});
    const { uri } = (result!["resources"] as { uri: string }[]).find((one) => one.uri.includes("work"))!;
    await ask(some, era, "resources/read", { uri });
    await ask(some, era, "prompts/get", { name: "work__ask" });
    expect(readFileSync(stand.log, "utf8")).toBe(before);
  });
});

it("everything that a read-only token is refused happens for a token without limits", async () => {
  for (const [what, name, args] of WAYS) {
    const before = effects();
    const answer = await call(stand.ann, name, args);
    expect([what, answer.isError ?? false]).toEqual([what, false]);
    // A file that is written again is the same file.
    if (!/file_node|shell_node/.test(what))
      expect([what, effects().length > before.length]).toEqual([what, true]);
  }
  expect(readdirSync(stand.folder).sort()).toEqual(["shell.txt", "written.txt"]);
});
