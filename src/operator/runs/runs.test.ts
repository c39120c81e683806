import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { eventuallyAsync, temporaryFolder } from "../../../test/fixtures/temporary.ts";
import { fixture, openOperator } from "../access.testkit.ts";

/** A gateway with a server behind it that writes down what it does. */
async function openPlace(config: object = {}) {
  const effects = join(temporaryFolder(), "effects.jsonl");
  const box = fixture("workflow-server.mjs", effects);
  const operator = await openOperator({ mcpServers: { box }, ...config });
  return {
    operator,
    /** What was really done. */
    done: () =>
      existsSync(effects)
        ? readFileSync(effects, "utf8")
            .split("\n")
            .flatMap((line) => (line === "" ? [] : [(JSON.parse(line) as { tool: string }).tool]))
        : [],
    mark: (name: string) => writeFileSync(`${effects}.${name}`, ""),
    run: (code: string, rest: object = {}) => operator.ask("startRun", { body: { code, ...rest } }),
  };
}

const RULES = { rules: [{ tool: "box__add", do: "ask", why: "It writes." }] };

describe("a run that was started", () => {
  it("is listed with who, client, steps and what it is called", async () => {
    const { operator, run } = await openPlace();
    const viewer = operator.viewerOf();
    const { run_id: first } = await run("// Adds up\nawait mcp.box.count({}); return 1");
    const second = await operator.ask("startRun", {
      body: { code: "throw new Error('no')", intent: "Fail once" },
      viewer,
    });
    expect(second).toMatchObject({ success: false, error: { code: "TOOL_EXECUTION_FAILED" } });
    const { runs } = await operator.ask("listRuns");
    expect(runs).toMatchObject([
      {
        run_id: second.run_id,
        who: "token:bot",
        client: "Repertoire console",
        status: "failed",
        intent: "Fail once",
        step_count: 0,
      },
      { run_id: first, who: "local", client: null, status: "succeeded", name: "Adds up", step_count: 1 },
    ]);
  });

  it("is found by status, kind, tool, words and time, page by page", async () => {
    const { operator, run } = await openPlace();
    const { run_id: counting } = await run("await mcp.box.count({}); return 1", { intent: "Count notes" });
    const { run_id: failing } = await run("throw new Error('no')");
    const found = async (query: object) =>
      (await operator.ask("listRuns", { query: { ...query } })).runs.map(({ run_id: id }) => id);
    expect(await found({ status: "failed,paused" })).toEqual([failing]);
    expect(await found({ status: "interrupted" })).toEqual([]);
    expect(await found({ kind: "workflow" })).toEqual([]);
    expect(await found({ tool: "box__*" })).toEqual([counting]);
    expect(await found({ text: "NOTES count" })).toEqual([counting]);
    expect(await found({ since: "1h" })).toEqual([failing, counting]);
    expect(await found({ until: "1h" })).toEqual([]);
    const page = await operator.ask("listRuns", { query: { limit: 1 } });
    expect(page).toMatchObject({ runs: [{ run_id: failing }], next: failing });
    const next = await operator.ask("listRuns", { query: { limit: 1, before: page.next } });
    expect(next.runs.map(({ run_id: id }) => id)).toEqual([counting]);
    expect(next.next).toBeUndefined();
    expect(await operator.refused("listRuns", { query: { status: "odd" } })).toMatchObject({
      field: "status",
    });
    expect(await operator.refused("listRuns", { query: { since: "soon" } })).toMatchObject({
      field: "since",
    });
    const { buckets } = await operator.ask("countRuns", { query: { since: "1h", buckets: 2 } });
    expect(buckets.length).toBeLessThanOrEqual(3);
    expect(buckets.at(-1)).toMatchObject({ succeeded: 1, failed: 1, waiting: 0, running: 0 });
    expect(buckets[0]).toMatchObject({ succeeded: 0, failed: 0 });
  });

  it("starts once, however often the same request comes, and is found by its session", async () => {
    const { operator, run, done } = await openPlace();
    const body = { code: "await mcp.box.add({ text: 'a' }); return 1", request_id: "request-1" };
    const [one, two] = await Promise.all([
      operator.ask("startRun", { body }),
      operator.ask("startRun", { body }),
    ]);
    expect(two.run_id).toBe(one.run_id);
    expect(done()).toEqual(["add"]);
    const { runs } = await operator.ask("listRuns", { query: { session: "console:request-1" } });
    expect(runs.map(({ run_id: id }) => id)).toEqual([one.run_id]);
    expect((await run(body.code)).run_id).not.toBe(one.run_id);
  });

  it("is refused as an error where nothing has run", async () => {
    const { operator } = await openPlace();
    const error = await operator.refused("startRun", { body: { code: "return mcp.box.nope({})" } });
    expect(error).toMatchObject({ code: "TOOL_NOT_FOUND", place: { line: 1 } });
    expect((await operator.ask("listRuns")).runs).toEqual([]);
  });

  it("shows its head: source, console, attempts, and what its calls cost", async () => {
    const { operator, run } = await openPlace();
    const code = "console.log('hello', args.who); await mcp.box.count({}); return { a: 1 }";
    const { run_id: id } = await run(code, { inputs: { who: "ann", password: "hunter22hunter22" } });
    await eventuallyAsync("the call on record", async () => {
      const { calls } = await operator.ask("listCalls", { query: { run: id! } });
      return calls.length === 1;
    });
    const head = await operator.ask("getRun", { params: { run: id! } });
    expect(head).toMatchObject({
      run_id: id,
      inputs: { who: "ann", password: "[redacted]" },
      outputs: { a: 1 },
      source: code,
      language: "typescript",
      logs: [{ level: "info", message: "hello ann" }],
      attempts: [{ run_id: id, status: "succeeded" }],
      call_count: 1,
      started: [],
      questions: [],
    });
    expect(await operator.refused("getRun", { params: { run: "unknown" } })).toMatchObject({
      code: "TOOL_NOT_FOUND",
    });
  });
});

describe("the steps of a run", () => {
  it("are rows with lines, and equal neighbours are one row unless they are asked for one by one", async () => {
    const { operator, run } = await openPlace();
    const code = [
      "await mcp.box.echo({ text: 'first' });",
      "for (let i = 0; i < 30; i++) await mcp.box.count({});",
      "return await mcp.box.list_numbers({ count: 3 });",
    ].join("\n");
    const { run_id: id } = await run(code);
    const params = { run: id! };
    const { rows, step_count: count } = await operator.ask("listSteps", { params });
    expect(count).toBe(32);
    expect(rows).toMatchObject([
      {
        row: "step",
        step: 1,
        name: "box__echo",
        lines: [1],
        args_text: '{"text":"first"}',
        status: "succeeded",
      },
      { row: "group", from_step: 2, to_step: 31, count: 30, tool: "box__count", status: "succeeded" },
      { row: "step", step: 32, name: "box__list_numbers", lines: [3] },
    ]);
    const query = { flat: "true", after: 1, to: 31, limit: 10 };
    const page = await operator.ask("listSteps", { params, query });
    expect(page.rows.map((row) => (row.row === "step" ? row.step : 0))).toEqual([
      2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
    ]);
    expect(page).toMatchObject({
      next: 11,
      rows: [{ name: "box__count" }, { name: "box__count#2" }, {}, {}, {}, {}, {}, {}, {}, {}],
    });
    const last = await operator.ask("listSteps", { params, query: { ...query, after: 21 } });
    expect(last.next).toBeUndefined();
    const trace = (await operator.ask("getTrace", { params })) as unknown as { steps: { name: string }[] };
    const whole = await operator.ask("listSteps", { params, query: { flat: "true" } });
    expect(whole.rows.map((row) => (row.row === "step" ? row.name : ""))).toEqual(
      trace.steps.map(({ name }) => name),
    );
  });

  it("have their arguments and results, and large ones are read in parts", async () => {
    const { operator, run } = await openPlace();
    const { run_id: id } = await run(
      "const { numbers } = await mcp.box.list_numbers({ count: 4000 }); await mcp.box.echo({ text: 'x', headers: { password: 'p4ssw0rd-p4ssw0rd' } }); return numbers.length",
    );
    const step = await operator.ask("getStep", { params: { run: id!, step: "1" } });
    expect(step).toMatchObject({
      args: { count: 4000 },
      source_line: expect.stringContaining("mcp.box.list_numbers") as string,
      result: { handle: `repertoire://runs/${id!}/1`, bytes: expect.any(Number) as number },
    });
    const params = { run: id!, step: "1" };
    const root = await operator.ask("readValue", { params });
    expect(root).toMatchObject({
      kind: "object",
      entry_count: 1,
      entries: [{ key: "numbers", kind: "array", entry_count: 4000 }],
    });
    const some = await operator.ask("readValue", {
      params,
      query: { path: "/numbers", offset: 3999, limit: 10 },
    });
    expect(some).toMatchObject({
      kind: "array",
      entries: [{ key: 3999, value: { n: 3999, name: "number 3999" } }],
    });
    expect(some.next).toBeUndefined();
    const text = await operator.ask("readValue", { params, query: { path: "/numbers/7/name", limit: 3 } });
    expect(text).toMatchObject({ kind: "string", text: "num", next: 3 });
    const echoed = await operator.ask("getStep", { params: { run: id!, step: "2" } });
    expect(JSON.stringify(echoed)).not.toContain("p4ssw0rd");
    const secret = { run: id!, step: "2" };
    for (const of of ["args", "result"])
      for (const path of ["", "/headers", "/headers/password"])
        expect(
          JSON.stringify(await operator.ask("readValue", { params: secret, query: { of, path } })),
        ).not.toContain("p4ssw0rd");
    const outputs = await operator.ask("readValue", { params: { run: id!, step: "outputs" } });
    expect(outputs).toMatchObject({ kind: "number", text: "4000" });
    expect(await operator.refused("readValue", { params, query: { path: "/none" } })).toMatchObject({
      code: "TOOL_NOT_FOUND",
    });
    expect(await operator.refused("getStep", { params: { run: id!, step: "9" } })).toMatchObject({
      code: "TOOL_NOT_FOUND",
    });
  });
});

describe("a run that stopped", () => {
  it("is compared with the attempt before, and resumed with corrected code", async () => {
    const { operator, run, done } = await openPlace();
    const before = "await mcp.box.add({ text: 'a' });\nthrow new Error('no')";
    const { run_id: id } = await run(before);
    const resumed = await operator.ask("resumeRun", {
      params: { run: id! },
      body: { code: before.replace("throw new Error('no')", "return 2") },
    });
    expect(resumed).toMatchObject({ success: true, outputs: 2 });
    expect(done()).toEqual(["add"]);
    const compared = await operator.ask("compareRun", { params: { run: resumed.run_id! } });
    expect(compared).toMatchObject({
      before: id,
      inputs: "",
      steps: [{ tool: "box__add", before: "succeeded", after: "succeeded", from_journal: true }],
    });
    expect(compared.source).toContain("+return 2");
    const head = await operator.ask("getRun", { params: { run: id! } });
    expect(head).toMatchObject({
      resumed_by: resumed.run_id,
      attempts: [{ run_id: id }, { run_id: resumed.run_id }],
    });
    const steps = await operator.ask("listSteps", { params: { run: resumed.run_id! } });
    expect(steps.rows).toMatchObject([{ from_journal: id, started_ms: 0 }]);
  });

  it("is cancelled while it runs, and what was under way is on record", async () => {
    const { operator, mark, done } = await openPlace();
    const body = {
      code: "await mcp.box.hold({ text: 'a' }); await mcp.box.add({ text: 'b' })",
      request_id: "request-c",
    };
    const running = operator.ask("startRun", { body });
    const id = await eventuallyAsync("the call under way", async () => {
      const { runs } = await operator.ask("listRuns", { query: { session: "console:request-c" } });
      return runs[0]?.step_count === 1 && runs[0].run_id;
    });
    const { rows } = await operator.ask("listSteps", { params: { run: id } });
    expect(rows).toMatchObject([{ tool: "box__hold", status: "under_way" }]);
    const cancelling = operator.ask("cancelRun", { params: { run: id } });
    mark("go");
    expect(await cancelling).toEqual({ run_id: id, status: "cancelled" });
    expect(await running).toMatchObject({ success: false, run_id: id, error: { reason: "cancelled" } });
    expect(done()).toEqual(["hold"]);
    expect(await operator.ask("listRuns")).toMatchObject({ runs: [{ status: "cancelled", step_count: 1 }] });
  });

  it("is decided on, and a yes becomes the rule that was shown", async () => {
    const { operator, run, done } = await openPlace(RULES);
    const code = "return (await mcp.box.add({ text: 'a' })).text";
    const { run_id: id } = await run(code);
    const { items } = await operator.ask("listInbox");
    expect(items).toMatchObject([
      {
        kind: "approval",
        subject: id,
        details: {
          details: {
            type: "box__add",
            params: { text: "a" },
            effect: "destroy",
            rule: expect.any(String) as string,
          },
        },
      },
    ]);
    const question = items[0]!.question!;
    const head = await operator.ask("getRun", { params: { run: id! } });
    expect(head.questions).toMatchObject([{ question, details: { params: { text: "a" } } }]);
    const query = { question, same: "text", times: 5 };
    const proposed = await operator.ask("proposeRule", { params: { run: id! }, query });
    expect(proposed).toMatchObject({
      arguments: ["text"],
      file: operator.configPath,
      rule: { tool: "box__add", do: "allow" },
    });
    const limited = operator.viewerOf({ permissions: new Set(["write"]) });
    const remember = { same: ["text"], times: 5 };
    const body = { question, approve: true, remember };
    expect(
      await operator.refused("decideRun", { params: { run: id! }, body, viewer: limited }),
    ).toMatchObject({
      code: "SECURITY_ERROR",
    });
    const decided = await operator.ask("decideRun", { params: { run: id! }, body });
    expect(decided).toEqual({ run_id: id, node: "box__add", question, approved: true, rule: proposed.rule });
    expect(JSON.parse(readFileSync(operator.configPath, "utf8"))).toMatchObject({
      rules: [proposed.rule, {}],
    });
    expect(
      await operator.refused("decideRun", { params: { run: id! }, body: { question, approve: true } }),
    ).toMatchObject({
      reason: "already_answered",
    });
    expect(await operator.ask("resumeRun", { params: { run: id! }, body: {} })).toMatchObject({
      outputs: "a",
    });
    expect(done()).toEqual(["add"]);
  });

  it("is saved under a name when it has worked", async () => {
    const { operator, run } = await openPlace();
    const { run_id: id } = await run("return (await mcp.box.count({})).count");
    const body = { name: "notes:count", description: "Counts notes." };
    expect(await operator.ask("saveRun", { params: { run: id! }, body })).toMatchObject({
      tool: "mcp__notes__count",
      version: 1,
    });
    const { run_id: failed } = await run("throw new Error('no')");
    expect(await operator.refused("saveRun", { params: { run: failed! }, body })).toMatchObject({
      reason: "not_succeeded",
    });
    const used = await operator.ask("startRun", { body: { name: "notes:count" } });
    expect(await operator.ask("getRun", { params: { run: used.run_id! } })).toMatchObject({
      kind: "capability",
      name: "notes:count",
      capability: { name: "notes:count", version: 1 },
      source: "return (await mcp.box.count({})).count",
    });
  });
});

describe("a viewer with limits", () => {
  it("sees its own runs, calls and questions, and no others", async () => {
    const { operator, run } = await openPlace(RULES);
    const viewer = operator.viewerOf({ id: "token:small", tools: ["box__*"] });
    const { run_id: others } = await run("await mcp.box.add({ text: 'a' })");
    const own = await operator.ask("startRun", {
      body: { code: "await mcp.box.add({ text: 'b' })" },
      viewer,
    });
    expect((await operator.ask("listRuns", { viewer })).runs.map(({ run_id: id }) => id)).toEqual([
      own.run_id,
    ]);
    expect((await operator.ask("listInbox", { viewer })).items.map(({ subject }) => subject)).toEqual([
      own.run_id,
    ]);
    expect((await operator.ask("listInbox")).items).toHaveLength(2);
    const params = { run: others! };
    const missing = await operator.refused("getRun", {
      params: { run: others!.replaceAll(/[0-9a-f]/g, "0") },
      viewer,
    });
    for (const name of [
      "getRun",
      "getTrace",
      "listSteps",
      "getGraph",
      "compareRun",
      "cancelRun",
      "resumeRun",
    ] as const) {
      const error = await operator.refused(name, { params, viewer });
      expect({ ...error, message: "" }).toEqual({ ...missing, message: "" });
    }
    for (const name of ["getStep", "readValue"] as const)
      expect(await operator.refused(name, { params: { ...params, step: "1" }, viewer })).toMatchObject({
        code: "TOOL_NOT_FOUND",
      });
    expect(await operator.ask("getRun", { params: { run: own.run_id! }, viewer })).toMatchObject({
      who: "token:small",
    });
    await eventuallyAsync("calls on record", async () => (await operator.ask("listCalls")).calls.length >= 2);
    const { calls } = await operator.ask("listCalls", { viewer });
    expect(new Set(calls.map(({ who }) => who))).toEqual(new Set(["token:small"]));
    const status = await operator.ask("getStatus", { viewer });
    expect(status.waiting).toEqual([{ kind: "approval", count: 1 }]);
    expect(status.runs.buckets.reduce((sum, { waiting }) => sum + waiting, 0)).toBe(1);
  });

  it("in a profile sees runs that used what the profile shows", async () => {
    const { operator } = await openPlace({ profiles: { small: { tools: { allow: ["box__count"] } } } });
    const viewer = operator.viewerOf({ id: "token:p", profiles: new Set(["small"]) });
    const shown = await operator.ask("startRun", {
      body: { code: "await mcp.box.count({}); return 1" },
      viewer,
    });
    expect(shown.success).toBe(true);
    const { runs } = await operator.ask("listRuns", { viewer });
    expect(runs.map(({ run_id: id }) => id)).toEqual([shown.run_id]);
    const wide = operator.viewerOf({ id: "token:p", tools: ["*"] });
    const hidden = await operator.ask("startRun", {
      body: { code: "await mcp.box.add({ text: 'a' }); return 1" },
      viewer: wide,
    });
    expect((await operator.ask("listRuns", { viewer: wide })).runs).toHaveLength(2);
    expect((await operator.ask("listRuns", { viewer })).runs).toHaveLength(1);
    expect(await operator.refused("getRun", { params: { run: hidden.run_id! }, viewer })).toMatchObject({
      code: "TOOL_NOT_FOUND",
    });
  });
});

it("code is checked as execute checks it, each problem with its place", async () => {
  const { operator } = await openPlace();
  const good = await operator.ask("checkCode", { body: { code: "return (await mcp.box.count({})).count" } });
  expect(good).toEqual({ ok: true, problems: [], tools: ["box__count"] });
  const bad = await operator.ask("checkCode", {
    body: { code: "const a = 1;\nreturn mcp.box.add({ wrong: a })" },
  });
  expect(bad).toMatchObject({
    ok: false,
    problems: [{ severity: "error", line: 2, hint: expect.any(String) as string }],
  });
  const syntax = await operator.ask("checkCode", { body: { code: "let b = ;" } });
  expect(syntax).toMatchObject({ ok: false, problems: [{ severity: "error", line: 1 }] });
});

it("the graph of a workflow has the state of each node; code has none", async () => {
  const { operator, run } = await openPlace();
  const workflow = {
    ir_version: "1.0",
    nodes: [
      { id: "numbers", type: "box__list_numbers", params: { count: 3 } },
      {
        id: "each",
        type: "box__echo",
        params: { text: "${item.name}" },
        batch: { items: "${numbers.numbers}" },
      },
      { id: "ask", type: "approve", params: { message: "Go on?", details: "${each}" } },
      { id: "last", type: "box__add", params: { text: "${ask.by}" } },
    ],
  };
  const answer = await operator.app.executeWorkflow(JSON.stringify(workflow), { inputs: {} });
  const id = (answer.structuredContent as { run_id: string }).run_id;
  const graph = await operator.ask("getGraph", { params: { run: id } });
  expect(graph.nodes).toMatchObject([
    { id: "numbers", type: "box__list_numbers", status: "succeeded", step: 1 },
    { id: "each", status: "succeeded", item_count: 3 },
    { id: "ask", status: "waiting" },
    { id: "last", status: "pending" },
  ]);
  expect(graph.edges).toEqual([
    { from: "numbers", to: "each" },
    { from: "each", to: "ask" },
    { from: "ask", to: "last" },
  ]);
  const { run_id: code } = await run("return 1");
  expect(await operator.refused("getGraph", { params: { run: code! } })).toMatchObject({
    reason: "no_workflow",
  });
});
