/** Static tools of a program among all others: in search, code, workflows, kept tools, under rules and on record. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type * as api from "../src/index.ts";
import { environmentOf, runCli } from "./fixtures/gateway-process.ts";
import { eventuallyAsync, temporaryFolder } from "./fixtures/temporary.ts";

const ENTRY = join(import.meta.dirname, "../dist/index.js");
const { createGateway } = (await import(ENTRY)) as typeof api;

const price: api.StaticTool = {
  name: "look_up_price",
  description: "Looks up what an article of the shop costs.",
  inputSchema: {
    type: "object",
    properties: { article: { type: "string" }, currency: { type: "string", default: "EUR" } },
    required: ["article"],
  },
  outputSchema: {
    type: "object",
    properties: { amount: { type: "number" }, currency: { type: "string" } },
    required: ["amount", "currency"],
  },
  annotations: { readOnlyHint: true },
  metadata: { category: "shop", version: "2", tags: ["price"] },
  call: ({ article, currency }: { article: string; currency: string }) => ({
    amount: article.length,
    currency,
  }),
};

/** A tool that does something, and how often it did. */
function orderTool(): { readonly tool: api.StaticTool; readonly orders: unknown[] } {
  const orders: unknown[] = [];
  const tool: api.StaticTool = {
    name: "order",
    description: "Orders an article.",
    inputSchema: { type: "object", properties: { article: { type: "string" } }, required: ["article"] },
    call: (args) => ({ number: orders.push(args) }),
  };
  return { tool, orders };
}

/** A gateway on a folder, with a config; it is closed with the test. */
async function open(folder: string, options: api.GatewayOptions, config: object = {}): Promise<api.Gateway> {
  const configPath = join(folder, "repertoire.json");
  writeFileSync(configPath, JSON.stringify(config));
  const gateway = await createGateway({ configPath, home: join(folder, "home"), ...options });
  onTestFinished(() => gateway.close());
  return gateway;
}

const run = (gateway: api.Gateway, code: string, more: api.JsonObject = {}): Promise<api.ToolCallResult> =>
  gateway.callTool("execute", { code, ...more });

it("PT1: a static tool is found by the search, with the signature that code calls it by", async () => {
  const gateway = await open(temporaryFolder(), { tools: [price] }, { exposure: "full" });
  const found = await gateway.callTool("browse_components", { query: "what does an article cost" });
  expect(found).toMatchObject({
    data: {
      nodes: [
        {
          type: "program__look_up_price",
          server: "program",
          effect: "read",
          signature:
            "mcp.program.look_up_price(args: { article: string; currency?: string }): Promise<{ amount: number; currency: string }>",
        },
      ],
    },
  });
  const all = await gateway.callTool("browse_components", {});
  expect(all).toMatchObject({ data: { nodes: [{ type: "program__look_up_price" }], total: 1 } });
  const listed = [...gateway.getToolDefinitions(), ...(await gateway.listTools())].map(({ name }) => name);
  expect(listed.filter((name) => name.includes("look_up_price"))).toEqual(["look_up_price", "look_up_price"]);
  const named = await gateway.callTool("browse_components", { names: ["look_up_price"] });
  expect(named).toMatchObject({ data: { nodes: [{ type: "program__look_up_price" }] } });
});

it("PT2: code calls it typed, with its defaults, and what it throws can be caught", async () => {
  const fails: api.StaticTool = {
    ...price,
    name: "fails",
    call() {
      throw new Error("Out of stock.");
    },
  };
  const gateway = await open(temporaryFolder(), { tools: [price, fails] });
  expect(await run(gateway, `return await mcp.program.look_up_price({ article: "pen" })`)).toMatchObject({
    data: { outputs: { amount: 3, currency: "EUR" } },
  });
  expect(
    await run(
      gateway,
      `try { await mcp.program.fails({ article: "pen" }) } catch (error) { return error.message }`,
    ),
  ).toMatchObject({ data: { outputs: "Out of stock." } });
  expect(await run(gateway, `return await mcp.program.look_up_price({})`)).toMatchObject({
    success: false,
    error: { code: "TOOL_INVALID_INPUT", message: expect.stringContaining("article") },
  });
  expect(await run(gateway, `return await mcp.program.look_up_prise({ article: "pen" })`)).toMatchObject({
    success: false,
    error: {
      code: "TOOL_NOT_FOUND",
      message: expect.stringContaining('The program has no tool "look_up_prise".'),
      nearest: ["mcp.program.look_up_price"],
    },
  });
});

it("PT3: it is a node of a workflow, and a namespace of its own may be chosen", async () => {
  const folder = temporaryFolder();
  const gateway = await open(folder, { tools: [price], toolsNamespace: "shop" });
  mkdirSync(join(folder, "home", "drafts"), { recursive: true });
  writeFileSync(
    join(folder, "home", "drafts", "cost.json"),
    JSON.stringify({
      ir_version: "1.0",
      inputs: { article: { type: "string" } },
      nodes: [{ id: "price", type: "shop__look_up_price", params: { article: "${article}" } }],
      outputs: { amount: { source: "${price.amount}" } },
    }),
  );
  expect(await gateway.callTool("execute", { name: "cost", inputs: { article: "book" } })).toMatchObject({
    data: { outputs: { amount: 4 } },
  });
  expect(gateway.findTool("look_up_price")).toMatchObject({ name: "look_up_price", server: null });
});

it("PT4: a kept tool uses it after the gateway was opened again, and says what is missing without the program", async () => {
  const folder = temporaryFolder();
  const first = await open(folder, { tools: [price] });
  const code = `const { amount } = await mcp.program.look_up_price({ article: args.article });
return { twice: amount * 2 };`;
  const kept = await run(first, code, { inputs: { article: "pen" }, save_as: "shop:twice" });
  expect(kept).toMatchObject({ success: true, data: { outputs: { twice: 6 } } });
  await first.close();

  const again = await open(folder, { tools: [price] });
  expect(await again.callTool("mcp__shop__twice", { article: "book" })).toMatchObject({
    success: true,
    data: { twice: 8 },
  });
  expect(again.findTool("mcp__shop__twice")).toMatchObject({
    server: "mcp",
    definition: { annotations: { readOnlyHint: true } },
  });
  await again.close();

  const without = await open(folder, {});
  expect(await without.callTool("mcp__shop__twice", { article: "book" })).toMatchObject({
    success: false,
    error: {
      code: "TOOL_UNAVAILABLE",
      reason: "source_missing",
      message: expect.stringContaining("mcp.program.look_up_price"),
    },
  });
  await without.close();

  const other = { command: process.execPath, args: [join(import.meta.dirname, "fixtures/sum-server.mjs")] };
  const served = await open(folder, {}, { mcpServers: { program: other } });
  expect(await served.callTool("mcp__shop__twice", { article: "book" })).toMatchObject({
    success: false,
    error: { code: "TOOL_UNAVAILABLE", reason: "source_missing" },
  });
});

it("PT4: exported and imported elsewhere it still belongs to the program", async () => {
  const folder = temporaryFolder();
  const first = await open(folder, { tools: [price] });
  const code = `return await mcp.program.look_up_price({ article: args.article });`;
  await run(first, code, { inputs: { article: "pen" }, save_as: "shop:price" });
  await first.close();
  expect(runCli(["export", "files"], { folder })).toMatchObject({ status: 0 });
  rmSync(join(folder, "home"), { recursive: true });
  expect(runCli(["import", "files"], { folder })).toMatchObject({ status: 0 });
  const again = await open(folder, { tools: [price] });
  expect(await again.callTool("mcp__shop__price", { article: "book" })).toMatchObject({
    success: true,
    data: { amount: 4 },
  });
  await again.close();
  const without = await open(folder, {});
  expect(await without.callTool("mcp__shop__price", { article: "book" })).toMatchObject({
    success: false,
    error: { reason: "source_missing" },
  });
});

it("PT8: a call that a crash cut short is uncertain, and made again only where that is asked for", async () => {
  const folder = temporaryFolder();
  const orders = join(folder, "orders");
  const program = (die: boolean, args: object) => `
    import { appendFileSync } from "node:fs";
    import { createGateway } from ${JSON.stringify(ENTRY)};
    const order = {
      name: "order", description: "Orders.", inputSchema: { type: "object" },
      call() {
        appendFileSync(${JSON.stringify(orders)}, "ordered\\n");
        if (${die}) process.kill(process.pid, "SIGKILL");
        return { ordered: true };
      },
    };
    const gateway = await createGateway({ home: ${JSON.stringify(join(folder, "home"))}, tools: [order] });
    const runs = await gateway.readResource("repertoire://runs");
    const resume = runs.success ? JSON.parse(runs.data.contents[0].text).runs[0]?.run_id : undefined;
    const args = ${JSON.stringify(args)};
    const { answer } = await gateway.callTool("execute", args.code ? args : { ...args, resume });
    console.log(JSON.stringify(answer.structuredContent));
    await gateway.close();`;
  const start = (die: boolean, args: object) =>
    spawnSync(process.execPath, ["--input-type=module", "-e", program(die, args)], {
      cwd: folder,
      env: environmentOf(folder),
      encoding: "utf8",
      timeout: 60_000,
    });
  const count = () => readFileSync(orders, "utf8").trim().split("\n").length;
  const code = "return await mcp.program.order({});";
  expect(start(true, { code })).toMatchObject({ signal: "SIGKILL", stdout: "" });
  expect(count()).toBe(1);
  const uncertain = start(false, {});
  expect(JSON.parse(uncertain.stdout)).toMatchObject({ error: { reason: "uncertain_step" } });
  expect(count()).toBe(1);
  const retried = start(false, { uncertain: "retry" });
  expect(JSON.parse(retried.stdout)).toMatchObject({ success: true, outputs: { ordered: true } });
  expect(count()).toBe(2);
});

it("PT5: a rule refuses it, by the name that the program gave it or by that of the gateway", async () => {
  for (const tool of ["order", "program__order"]) {
    const { tool: order, orders } = orderTool();
    const rules = [{ tool, do: "refuse", why: "The shop is closed." }];
    const gateway = await open(temporaryFolder(), { tools: [order, price] }, { rules });
    const refused = { success: false, error: { code: "SECURITY_ERROR", reason: "refused" } };
    expect(await gateway.callTool("order", { article: "pen" })).toMatchObject(refused);
    expect(await gateway.callTool("program__order", { article: "pen" })).toMatchObject(refused);
    expect(await run(gateway, `await mcp.program.order({ article: "pen" })`)).toMatchObject({
      success: false,
      error: { message: expect.stringContaining("The shop is closed.") },
    });
    expect(await gateway.callTool("look_up_price", { article: "pen" })).toMatchObject({ success: true });
    expect(orders).toEqual([]);
  }
});

it("PT5: a rule that asks pauses the call until a person says yes; annotations of the program are believed", async () => {
  const folder = temporaryFolder();
  const { tool: order, orders } = orderTool();
  const gateway = await open(folder, { tools: [order, price] }, { trust: "ask" });
  expect(await gateway.callTool("look_up_price", { article: "pen" })).toMatchObject({ success: true });
  const code = `return await mcp.program.order({ article: "ink" })`;
  for (const paused of [await gateway.callTool("order", { article: "pen" }), await run(gateway, code)]) {
    const { run_id: id } = (paused.success ? paused.data : {}) as { run_id: string };
    expect(paused.answer.content[0]).toMatchObject({ text: expect.stringContaining("program__order") });
    expect(runCli(["approve", id, "--yes"], { folder })).toMatchObject({ status: 0 });
    const resumed = await gateway.callTool("execute", { resume: id });
    expect(resumed).toMatchObject({ success: true });
  }
  expect(orders).toEqual([{ article: "pen" }, { article: "ink" }]);
});

it("PT6: its calls are in the call log and count for limits", async () => {
  const folder = temporaryFolder();
  const { tool: order, orders } = orderTool();
  const rules = [{ tool: "order", do: "allow", limit: "2/hour" }];
  const gateway = await open(folder, { tools: [order] }, { rules });
  await gateway.callTool("order", { article: "a" });
  await run(gateway, `await mcp.program.order({ article: "b" })`);
  expect(await gateway.callTool("order", { article: "c" })).toMatchObject({
    success: false,
    error: { code: "RATE_LIMITED" },
  });
  expect(orders).toHaveLength(2);
  await gateway.close();
  const { stdout } = runCli(["calls", "--json"], { folder });
  const { calls } = JSON.parse(stdout) as { calls: { tool: string; outcome: string }[] };
  expect(calls.map(({ tool, outcome }) => [tool, outcome])).toEqual([
    ["program__order", "RATE_LIMITED rate_limit"],
    ["program__order", "ok"],
    ["program__order", "ok"],
  ]);
});

it("PT7: a handler that never returns ends with the run that called it, and its outcome is not known", async () => {
  const { promise: told, resolve } = Promise.withResolvers<AbortSignal>();
  const hangs: api.StaticTool = {
    name: "hangs",
    description: "Never answers.",
    inputSchema: { type: "object" },
    call: (_, { signal }) => (resolve(signal), new Promise(() => {})),
  };
  const gateway = await open(temporaryFolder(), { tools: [hangs] });
  const ended = await run(gateway, `await mcp.program.hangs({})`, { timeout_ms: 1000 });
  expect(ended).toMatchObject({ success: false, error: { code: "TOOL_TIMEOUT" } });
  expect((await told).aborted).toBe(true);
  expect(await gateway.callTool("execute", { resume: "last" })).toMatchObject({
    success: false,
    error: { reason: "uncertain_step" },
  });
});

it("PT8: a static tool that does something is not done twice when a failed run goes on", async () => {
  const { tool: order, orders } = orderTool();
  let isOpen = false;
  const pay: api.StaticTool = {
    name: "pay",
    description: "Pays.",
    inputSchema: { type: "object" },
    call() {
      if (!isOpen) throw new Error("The bank is closed.");
      return { paid: true };
    },
  };
  const gateway = await open(temporaryFolder(), { tools: [order, pay] });
  const code = `const { number } = await mcp.program.order({ article: "pen" });
const { paid } = await mcp.program.pay({});
return { number, paid };`;
  expect(await run(gateway, code)).toMatchObject({
    success: false,
    error: { message: expect.stringContaining("The bank is closed.") },
  });
  isOpen = true;
  expect(await gateway.callTool("execute", { resume: "last" })).toMatchObject({
    success: true,
    data: { outputs: { number: 1, paid: true } },
  });
  expect(orders).toHaveLength(1);
});

it("PT9: a background run calls it in the program that started the run", async () => {
  const { tool: order, orders } = orderTool();
  const gateway = await open(temporaryFolder(), { tools: [order] });
  const code = `return await mcp.program.order({ article: "pen" })`;
  const started = await run(gateway, code, { background: true });
  expect(started).toMatchObject({ success: true, data: { run_id: expect.any(String) } });
  const { run_id: id } = (started.success ? started.data : {}) as { run_id: string };
  const ended = await eventuallyAsync("the end of the run", async () => {
    const result = await gateway.callTool("execute", { resume: id });
    return result.success && (result.data as api.JsonObject)["success"] === true && result.data;
  });
  expect(ended).toMatchObject({ outputs: { number: 1 } });
  expect(orders).toEqual([{ article: "pen" }]);
});

it("PT9: progress of a static tool reaches the caller", async () => {
  const slow: api.StaticTool = {
    name: "slow",
    description: "Reports.",
    inputSchema: { type: "object" },
    call(_, { onProgress }) {
      onProgress({ progress: 1, total: 2, message: "half" });
      return null;
    },
  };
  const gateway = await open(temporaryFolder(), { tools: [slow] });
  const heard: unknown[] = [];
  await gateway.callTool("slow", {}, { onProgress: (progress) => void heard.push(progress) });
  expect(heard).toEqual([{ progress: 1, total: 2, message: "half" }]);
});

it("PT10: the namespace is no server's: a server of that id is refused, and one that comes later is not there", async () => {
  const folder = temporaryFolder();
  const { tool: order } = orderTool();
  const server = { command: "no-such-program", tools: { effects: { "*": "read" } } };
  await expect(open(folder, { tools: [order] }, { mcpServers: { Program: server } })).rejects.toMatchObject({
    name: "RepertoireError",
    code: "CONFIG_INVALID",
    message: expect.stringContaining('the server "Program"'),
    hint: expect.stringContaining("toolsNamespace"),
  });
  const other = await open(
    folder,
    { tools: [order], toolsNamespace: "own" },
    { mcpServers: { program: server } },
  );
  expect(other.servers().map(({ id }) => id)).toEqual(["program"]);
  await other.close();

  const disabled = { mcpServers: { program: { ...server, enabled: false } } };
  const lines: api.LogEntry[] = [];
  const gateway = await open(folder, { tools: [order], log: (line) => lines.push(line) }, disabled);
  const rules = [{ effect: "read", do: "allow" }, { do: "refuse" }];
  writeFileSync(join(folder, "repertoire.json"), JSON.stringify({ mcpServers: { program: server }, rules }));
  expect(await gateway.refresh()).toMatchObject({ success: true });
  expect(gateway.servers()).toEqual([]);
  expect(lines).toContainEqual({
    level: "warn",
    event: "server.reserved",
    fields: expect.objectContaining({ server: "program" }),
  });
  expect(await gateway.refresh("program")).toMatchObject({
    success: false,
    error: { code: "TOOL_NOT_FOUND" },
  });
  // What the config says of that server's tools is not believed of the program's.
  expect(await gateway.callTool("order", { article: "pen" })).toMatchObject({
    success: false,
    error: { code: "SECURITY_ERROR" },
  });
});

it("PT12: events tell of what is kept, and not of static tools, which are there from the start", async () => {
  const gateway = await open(temporaryFolder(), { tools: [price] });
  const heard: string[] = [];
  for (const kind of ["registered", "updated", "removed"] as const)
    gateway.on(`capability.tool.${kind}`, ({ server, name }) => heard.push(`${kind} ${server} ${name}`));
  const code = (article: string) => `return await mcp.program.look_up_price({ article: "${article}" })`;
  await run(gateway, code("pen"), { save_as: "shop:pen" });
  await gateway.listTools();
  await gateway.refresh();
  expect(heard).toEqual(["registered mcp mcp__shop__pen"]);
  await gateway.close();
  expect(heard).toHaveLength(1);
});

it("PT11: two gateways in one process each have their own tools", async () => {
  const one = await open(temporaryFolder(), {
    tools: [{ ...price, call: () => ({ amount: 1, currency: "A" }) }],
  });
  const two = await open(temporaryFolder(), {
    tools: [{ ...price, call: () => ({ amount: 2, currency: "B" }) }],
  });
  const ask = (gateway: api.Gateway) =>
    run(gateway, `return await mcp.program.look_up_price({ article: "pen" })`);
  expect(await Promise.all([ask(one), ask(two)])).toMatchObject([
    { data: { outputs: { amount: 1 } } },
    { data: { outputs: { amount: 2 } } },
  ]);
  await one.close();
  expect(await ask(two)).toMatchObject({ data: { outputs: { amount: 2 } } });
});
