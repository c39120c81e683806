/** The package as a program uses it: registries, events, discovery, static tools. On the bundle, with real servers. */
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest";
import type * as api from "../src/index.ts";
import { environmentOf } from "./fixtures/gateway-process.ts";
import { temporaryFolder } from "./fixtures/temporary.ts";

const ENTRY = join(import.meta.dirname, "../dist/index.js");
const CHANGING = join(import.meta.dirname, "fixtures/changing-server.mjs");
const CELL = join(import.meta.dirname, "fixtures/cell-server.ts");
const { createGateway } = (await import(ENTRY)) as typeof api;

const add: api.StaticTool = {
  name: "add",
  description: "Adds two numbers.",
  inputSchema: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number", default: 1 } },
    required: ["a"],
  },
  call({ a, b }) {
    if (a === 13) throw new Error("No 13 here.");
    return a === 0 ? { fn: () => 1 } : { sum: Number(a) + Number(b) };
  },
};
const ownEcho: api.StaticTool = {
  name: "cell__echo",
  description: "Answers in place of the server's.",
  inputSchema: { type: "object" },
  call: () => "mine",
};

/** A folder with a config: one server that works, one whose command does not exist. */
function place(folder: string, servers: Record<string, object> = {}): string {
  const state = join(folder, "state");
  mkdirSync(state, { recursive: true });
  const cell = { command: process.execPath, args: [CELL, "legacy", "stdio", state] };
  const file = join(folder, "repertoire.json");
  writeFileSync(file, JSON.stringify({ mcpServers: { cell, ...servers } }));
  return file;
}

let folder: string;
let gateway: api.Gateway;
const lines: api.LogEntry[] = [];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "repertoire-api-"));
  gateway = await createGateway({
    configPath: place(folder, { broken: { command: "no-such-program" } }),
    home: join(folder, "home"),
    staticTools: [add, ownEcho],
    log: (entry) => lines.push(entry),
  });
});
afterAll(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true, force: true });
});

it("D10: registers servers without starting them, discovers them, and keeps what works when one fails", async () => {
  expect(gateway.servers().map(({ id, state }) => [id, state])).toEqual([
    ["broken", "pending"],
    ["cell", "pending"],
  ]);
  expect(gateway.tools("cell")).toEqual([]);
  const all = await gateway.discover();
  expect(all).toMatchObject({
    success: false,
    error: { code: "TOOL_UNAVAILABLE", problems: [{ server: "broken" }] },
  });
  expect(await gateway.discover("cell")).toEqual({ success: true, data: { toolCount: 8 } });
  expect(await gateway.discover("sell")).toMatchObject({
    success: false,
    error: { code: "TOOL_NOT_FOUND", hint: "The servers are broken, cell." },
  });
  expect(gateway.servers()).toMatchObject([
    { id: "broken", state: "failed", toolCount: 0, error: { code: "TOOL_UNAVAILABLE" } },
    { id: "cell", state: "ready", toolCount: 8, rejected: [{ name: "echo" }] },
  ]);
  const events = lines.map(({ event }) => event);
  for (const event of ["tools.discovery.started", "tools.discovery.server.success", "tools.registry.updated"])
    expect(events).toContain(event);
  expect(lines.find(({ event }) => event === "tools.registry.updated")!.fields).toMatchObject({
    staticCount: 7,
    traceId: expect.any(String),
  });
});

it("D10: a registered tool has the name that callTool takes, its server and its original name", async () => {
  await gateway.discover("cell");
  expect(gateway.findTool("cell__grow")).toMatchObject({
    name: "cell__grow",
    server: "cell",
    originalName: "grow",
    definition: { name: "cell__grow", inputSchema: { type: "object" } },
  });
  expect(gateway.findTool("cell__nothing")).toBeUndefined();
  expect(gateway.findTool("add")).toMatchObject({ name: "add", server: null });
  expect(gateway.tools("cell").map(({ originalName }) => originalName)).toContain("tick");
  const [clock] = gateway.resources("cell");
  expect(clock).toMatchObject({ server: "cell", originalUri: "cell://clock", isTemplate: false });
  expect(await gateway.readResource(clock!.uri)).toMatchObject({
    success: true,
    data: { contents: [{ text: "noon" }] },
  });
});

it("D10: the registries know each tool and resource by both of its names, and start no server for it", async () => {
  const { tools, resources } = gateway.registry;
  await gateway.discover("cell");
  expect(tools.size).toBe(tools.list().length);
  expect(tools.list("cell")).toEqual(gateway.tools("cell"));
  expect(tools.get("cell__grow")).toEqual(gateway.findTool("cell__grow"));
  expect(tools.find("cell", "grow")).toEqual(tools.get("cell__grow"));
  expect(tools.find(null, "add")).toEqual(tools.get("add"));
  expect(tools.get("program__add")).toEqual(tools.get("add"));
  expect([tools.has("add"), tools.has("cell__grow"), tools.has("grow"), tools.has("constructor")]).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(tools.find("cell", "add")).toBeUndefined();
  expect(tools.list("no-such")).toEqual([]);
  const [clock] = resources.list("cell");
  expect(resources.size).toBe(resources.list().length);
  expect(resources.get(clock!.uri)).toEqual(clock);
  expect(resources.find("cell", "cell://clock")).toEqual(clock);
  expect([resources.has(clock!.uri), resources.has("cell://clock")]).toEqual([true, false]);
  for (const odd of [null, undefined, 5, {}, Symbol("s")]) {
    expect(tools.get(odd as string)).toBeUndefined();
    expect(resources.get(odd as string)).toBeUndefined();
  }
});

it("D10: static tools are listed with the others by name, win over a server's tool, and are checked", async () => {
  await gateway.discover("cell");
  const names = gateway.getToolDefinitions().map(({ name }) => name);
  expect(names).toEqual(names.toSorted());
  expect(names.filter((name) => name === "cell__echo")).toHaveLength(1);
  expect(names).toEqual(expect.arrayContaining(["add", "browse_components", "cell__tick", "execute"]));
  expect((await gateway.listTools()).map(({ name }) => name)).toEqual(
    expect.arrayContaining(["execute", "add", "cell__echo"]),
  );
  expect(gateway.tools(null).map(({ name }) => name)).toEqual(["add", "cell__echo"]);
  expect(await gateway.callTool("cell__echo", { key: "x" })).toMatchObject({ success: true, data: "mine" });
  expect(await gateway.callTool("add", { a: 2 })).toMatchObject({ success: true, data: { sum: 3 } });
  expect(await gateway.callTool("add", { a: "x" })).toMatchObject({
    success: false,
    error: { code: "TOOL_INVALID_INPUT", field: "a" },
  });
  expect(await gateway.callTool("add", { a: 13 })).toMatchObject({
    success: false,
    error: { code: "TOOL_EXECUTION_FAILED", message: "No 13 here." },
    answer: { isError: true },
  });
  expect(await gateway.callTool("add", { a: 0 })).toMatchObject({
    success: false,
    error: { message: expect.stringContaining("not plain JSON") },
  });
});

it.each([
  ["a meta-tool's name", { ...add, name: "execute" }],
  ["a name that no client takes", { ...add, name: "a b" }],
  ["no schema of an object", { ...add, inputSchema: { type: "string" } }],
  ["nothing to call", { ...add, call: undefined as never }],
  ["a schema that cannot be used", { ...add, inputSchema: { type: "object", properties: 5 } }],
  ["a schema that refers to nothing", { ...add, inputSchema: { type: "object", $ref: "#/$defs/no" } }],
  ["annotations of the wrong kind", { ...add, annotations: { readOnlyHint: "yes" as never } }],
  ["more than any server may list", { ...add, description: "x".repeat(700_000) }],
])("D10: a static tool with %s is refused when the gateway is opened", async (_, tool) => {
  const home = join(folder, "unused");
  await expect(createGateway({ cwd: folder, home, staticTools: [tool] })).rejects.toMatchObject({
    code: "CONFIG_INVALID",
  });
});

it("D10: two static tools of one name are refused", async () => {
  const opening = createGateway({ cwd: folder, home: join(folder, "unused"), staticTools: [add, add] });
  await expect(opening).rejects.toThrow("same name");
});

it("D10: callTool answers with a result whatever it is given", async () => {
  const call = (...given: unknown[]): Promise<api.ToolCallResult> => gateway.callTool(...(given as [string]));
  const cyclic: Record<string, unknown> = {};
  cyclic["self"] = cyclic;
  for (const given of [
    [null, {}],
    [undefined],
    [7, {}],
    ["execute", null],
    ["execute", []],
    ["execute", cyclic],
    [null, null, null],
  ])
    expect(await call(...given)).toMatchObject({
      success: false,
      error: { code: "TOOL_INVALID_INPUT" },
      answer: { isError: true },
    });
  expect(await call("cell__tik", {})).toMatchObject({
    success: false,
    error: { code: "TOOL_NOT_FOUND", nearest: expect.arrayContaining(["cell__tick"]) },
  });
  expect(await call("execute", { code: "return 6 * 7" })).toMatchObject({
    success: true,
    data: { outputs: 42 },
    answer: { structuredContent: { outputs: 42 } },
  });
  const aborted = AbortSignal.abort();
  expect(await gateway.callTool("cell__wait", { key: "x" }, { signal: aborted })).toMatchObject({
    success: false,
    error: { code: "CANCELLED" },
  });
});

it("D10: events tell of tools that come, change and go, and a listener can stop", async () => {
  const home = temporaryFolder();
  const configPath = place(home);
  const own = await createGateway({ configPath, home: join(home, "home") });
  onTestFinished(() => own.close());
  const heard: string[] = [];
  own.on("capability.tool.registered", ({ kind, server, name }) => heard.push(`${kind} ${server} ${name}`));
  own.on("capability.tool.removed", ({ name }) => heard.push(`removed ${name}`));
  own.on("capability.resource.registered", ({ name }) => heard.push(`resource ${name}`));
  own.on("capability.cache.updated", ({ server }) => heard.push(`cache ${server}`));
  const stop = own.on("capability.cache.updated", () => heard.push("stopped too late"));
  stop();
  expect(() => own.on("capability.tool.registred" as never, () => {})).toThrow("capability.tool.registered");
  await own.discover();
  expect(heard).toContain("capability.tool.registered cell cell__echo");
  expect(heard).toContain("resource repertoire://server/cell/cell://clock");
  expect(heard.at(-1)).toBe("cache cell");

  appendFileSync(join(home, "state", "grown"), "branch\n");
  expect(await own.refresh("cell")).toEqual({ success: true, data: { toolCount: 10 } });
  expect(heard).toContain("capability.tool.registered cell cell__branch");

  place(home, { cell: { command: "unused", enabled: false } });
  expect(await own.refresh()).toEqual({ success: true, data: { toolCount: 0 } });
  expect(own.servers()).toEqual([]);
  expect(own.tools()).toEqual([]);
  expect(heard).toContain("removed cell__branch");
  expect(heard).not.toContain("stopped too late");
});

it("D10: each of the eight events is told once, in the order of what happened", async () => {
  const here = temporaryFolder();
  const offer = join(here, "offer.json");
  const say = (tools: object[], resourceTemplates: object[]) =>
    writeFileSync(offer, JSON.stringify({ silent: true, tools, resourceTemplates }));
  const tool = (name: string, description: string) => ({
    name,
    description,
    inputSchema: { type: "object" },
  });
  const template = (name: string, mimeType: string) => ({
    name,
    mimeType,
    uriTemplate: `memo://${name}/{id}`,
  });
  const server = { command: process.execPath, args: [CHANGING, offer, join(here, "effects")] };
  say([tool("a", "one"), tool("b", "one")], [template("r", "text/plain"), template("s", "text/plain")]);
  const own = await createGateway({ configPath: place(here, { cell: server }), home: join(here, "home") });
  onTestFinished(() => own.close());
  const heard: string[] = [];
  const note = (event: api.GatewayEvent) =>
    heard.push(`${event.kind.slice("capability.".length)}${"name" in event ? ` ${event.name}` : ""}`);
  for (const noun of ["tool", "resource"] as const)
    for (const verb of ["registered", "updated", "removed"] as const)
      own.on(`capability.${noun}.${verb}`, note);
  for (const verb of ["updated", "invalidated"] as const) own.on(`capability.cache.${verb}`, note);
  const [r, s] = ["r", "s"].map((name) => `repertoire://server/cell/memo://${name}/{id}`);
  await own.discover();
  expect(heard.splice(0)).toEqual([
    "tool.registered cell__a",
    "tool.registered cell__b",
    `resource.registered ${r}`,
    `resource.registered ${s}`,
    "cache.updated",
  ]);
  expect(own.registry.resources.find("cell", "memo://r/{id}")).toMatchObject({ uri: r, isTemplate: true });
  say([tool("b", "two"), tool("c", "one")], [template("s", "text/html")]);
  await own.discover();
  expect(heard).toEqual([]);
  await own.invalidate();
  await own.discover();
  expect(heard).toEqual([
    "cache.invalidated",
    "tool.removed cell__a",
    "tool.updated cell__b",
    "tool.registered cell__c",
    `resource.removed ${r}`,
    `resource.updated ${s}`,
    "cache.updated",
  ]);
});

it("D10: what was invalidated stays until the server has answered again, also while it is down", async () => {
  const here = temporaryFolder();
  const program = join(here, "start.mjs");
  writeFileSync(program, `await import(${JSON.stringify(CELL)});`);
  mkdirSync(join(here, "state"));
  const cell = { command: process.execPath, args: [program, "legacy", "stdio", join(here, "state")] };
  const options = { configPath: place(here, { cell }), home: join(here, "home") };
  const first = await createGateway(options);
  onTestFinished(() => first.close());
  const heard: string[] = [];
  first.on("capability.cache.invalidated", ({ server }) => heard.push(server));
  expect(await first.invalidate()).toEqual({ success: true, data: { servers: [] } });
  await first.discover();
  const known = (one: api.Gateway) => [one.servers()[0]!.state, one.registry.tools.size];
  expect(known(first)).toEqual(["ready", 9]);
  expect(await first.invalidate("cell")).toEqual({ success: true, data: { servers: ["cell"] } });
  expect([known(first), heard]).toEqual([["stale", 9], ["cell"]]);
  expect(await first.callTool("cell__tick", { key: "a" })).toMatchObject({ success: true });
  for (const unknown of ["sell", 5, "", {}])
    expect(await first.invalidate(unknown as string)).toMatchObject({
      success: false,
      error: { code: "TOOL_NOT_FOUND", hint: "The servers are cell." },
    });
  await first.close();
  expect(await first.invalidate()).toMatchObject({
    success: false,
    error: { message: "The gateway is closed." },
  });

  rmSync(program);
  const second = await createGateway(options);
  onTestFinished(() => second.close());
  expect(known(second)).toEqual(["stale", 9]);
  expect(await second.callTool("cell__tick", { key: "a" })).toMatchObject({
    success: false,
    error: { code: "TOOL_UNAVAILABLE" },
  });
  expect(await second.discover()).toMatchObject({
    success: false,
    error: { problems: [{ server: "cell" }] },
  });
  expect(known(second)).toEqual(["failed", 9]);
  writeFileSync(program, `await import(${JSON.stringify(CELL)});`);
  expect(await second.refresh()).toEqual({ success: true, data: { toolCount: 9 } });
  expect(known(second)).toEqual(["ready", 9]);
});

it("D10: a closed gateway answers that it is closed, and closing it twice is closing it once", async () => {
  const home = temporaryFolder();
  const own = await createGateway({ configPath: place(home), home: join(home, "home") });
  await Promise.all([own.close(), own[Symbol.asyncDispose]()]);
  const closed = { success: false, error: { message: "The gateway is closed.", retryable: false } };
  expect(await own.callTool("list_library")).toMatchObject(closed);
  expect(await own.refresh()).toMatchObject(closed);
  expect(await own.readResource("repertoire://runs")).toMatchObject(closed);
});

it("D10: nothing is printed by a host that asks for no log, and a level asks for it", () => {
  const home = temporaryFolder();
  place(home, { broken: { command: "no-such-program" } });
  const program = (options: string) => `
    import { createGateway } from ${JSON.stringify(ENTRY)};
    const gateway = await createGateway({ configPath: "repertoire.json", home: "home", ${options} });
    await gateway.refresh();
    await gateway.close();`;
  const run = (options: string) =>
    spawnSync(process.execPath, ["--input-type=module", "-e", program(options)], {
      cwd: home,
      env: environmentOf(home),
      encoding: "utf8",
      timeout: 60_000,
    });
  expect(run("")).toMatchObject({ status: 0, stdout: "", stderr: "" });
  expect(run('log: "warn"').stderr).toContain("tools.discovery.server.failed");
});

it("AG4: a static tool that never answers ends with its signal, and with the gateway", async () => {
  const started = Promise.withResolvers<void>();
  const wait: api.StaticTool = {
    name: "wait",
    description: "Never answers.",
    inputSchema: { type: "object" },
    call: () => (started.resolve(), new Promise(() => {})),
  };
  const here = temporaryFolder();
  const own = await createGateway({ configPath: place(here), home: join(here, "home"), staticTools: [wait] });
  const cancelled = { success: false, error: { code: "CANCELLED" } };
  const aborting = new AbortController();
  const first = own.callTool("wait", {}, { signal: aborting.signal });
  await started.promise;
  aborting.abort();
  expect(await first).toMatchObject(cancelled);
  expect(await own.callTool("wait", {}, { signal: aborting.signal })).toMatchObject(cancelled);
  const second = own.callTool("wait");
  await own.close();
  expect(await second).toMatchObject({ success: false });
});

it("AG5: options that make no sense are refused as such, and null is left out", async () => {
  const here = temporaryFolder();
  const sound = { configPath: place(here), home: join(here, "home") };
  const wrong: unknown[] = [
    { staticTools: 5 },
    { staticTools: [null] },
    { tools: "add" },
    { tools: [add], toolsNamespace: 5 },
    { tools: [add], toolsNamespace: "My Tools" },
    { log: "loud" },
    { log: {} },
    { home: 5 },
    { cwd: 5 },
  ];
  for (const options of wrong)
    await expect(createGateway({ ...sound, ...(options as object) })).rejects.toMatchObject({
      name: "RepertoireError",
      code: "CONFIG_INVALID",
    });
  const print = vi.spyOn(process.stderr, "write");
  const nothing = { staticTools: null, log: null, cwd: null } as unknown as api.GatewayOptions;
  const opened = await createGateway({ ...sound, ...nothing });
  const trap = new Proxy(
    {},
    {
      get: () => {
        throw new Error("no");
      },
    },
  );
  expect(await opened.callTool("cell__echo", {}, trap)).toMatchObject({ success: false });
  await opened.close();
  expect(print).not.toHaveBeenCalled();
});

it("AG6: a log function or a listener that rejects does not end the program", async () => {
  const here = temporaryFolder();
  const script = `
    import { createGateway } from ${JSON.stringify(ENTRY)};
    const refuse = async () => { throw new Error("no") };
    const gateway = await createGateway({ configPath: ${JSON.stringify(place(here))}, home: ${JSON.stringify(join(here, "home"))}, log: refuse });
    gateway.on("capability.tool.registered", refuse);
    await gateway.discover();
    await gateway.close();
    console.log("well");`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
    env: environmentOf(here),
  });
  expect({ stdout, stderr }).toEqual({ stdout: "well\n", stderr: "" });
});
