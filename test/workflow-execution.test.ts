/**
 * Running workflows through `execute`, as users get it: the bundle as a process, a real server as a process behind it. The
 * criteria and the edge cases carry the numbers of the specification that they come from; the rest of them are in
 * `meta-tools.test.ts`.
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ERAS } from "./fixtures/gateway-process.ts";
import { eventually } from "./fixtures/temporary.ts";
import { errorOf, keepGreet, openPlace, startRaw, type Place } from "./fixtures/workflow-place.ts";
import { BREAKABLE, GREET, HELD, workflow } from "./fixtures/workflows.ts";

describe("the criteria of the five meta-tools", () => {
  it("criterion 8: execute takes what is in the library before a draft of the same name", async () => {
    const place = openPlace();
    const agent = await place.join();
    await keepGreet(place, agent);
    place.draft("greet", { ...GREET, outputs: { draft: { source: "${bye.text}" } } });
    const inputs = { who: "ann" };
    expect(await agent.call("execute", { name: "greet", inputs })).toMatchObject({
      outputs: { said: "hello ann, and bye" },
    });
  });

  it("criterion 9: execute falls back to a draft", async () => {
    const place = openPlace();
    const agent = await place.join("2026-07-28");
    place.draft("greet", GREET);
    expect(await agent.call("execute", { name: "greet", inputs: { who: "ann" } })).toMatchObject({
      success: true,
      outputs: { said: "hello ann, and bye" },
      draft: "greet",
    });
  });

  it.each(ERAS)(
    "criteria 10 and 24: a failure has a checkpoint with the completed nodes (%s)",
    async (era) => {
      const place = openPlace();
      const agent = await place.join(era);
      place.draft("breakable", BREAKABLE);
      writeFileSync(`${place.effectsFile}.broken`, "");
      const failed = await agent.call("execute", { name: "breakable", calls: true });
      expect(failed).toMatchObject({
        isError: true,
        success: false,
        error: {
          code: "TOOL_EXECUTION_FAILED",
          message: expect.stringContaining("it is broken"),
          node: "second",
        },
        checkpoint: {
          run_id: failed["run_id"],
          completed_nodes: ["first"],
          failed_node: "second",
          resumable: true,
          steps: 2,
        },
        calls: [
          { node: "first", tool: "notes__add", success: true },
          { node: "second", tool: "notes__fragile", success: false },
        ],
      });
      rmSync(`${place.effectsFile}.broken`);
      expect(await agent.call("execute", { resume: failed["run_id"], calls: true })).toMatchObject({
        success: true,
        outputs: { all: "one two three" },
        calls: [
          { node: "first", tool: "notes__add", from_journal: true },
          { node: "second", tool: "notes__fragile" },
          { node: "third" },
        ],
      });
      expect(place.effects().map(({ tool }) => tool)).toEqual(["add", "fragile", "fragile", "add"]);
    },
  );

  it("criterion 11: nothing but the protocol reaches stdout, whatever a node prints", async () => {
    const place = openPlace();
    place.draft(
      "loud",
      workflow([{ id: "loud", type: "code", params: { code: "console.log('LOUD'); return 1;" } }]),
    );
    const gateway = await startRaw(place);
    gateway.call("a", "execute", { name: "loud" });
    gateway.call("b", "execute", { code: "console.error('LOUD'); return 1;" });
    expect(await gateway.answer("a")).toMatchObject({ result: { structuredContent: { success: true } } });
    expect(await gateway.answer("b")).toMatchObject({ result: { structuredContent: { success: true } } });
    expect(gateway.messages().every((message) => message["jsonrpc"] === "2.0")).toBe(true);
    const asData = gateway.messages().filter((message) => JSON.stringify(message).includes("LOUD"));
    const logged = { result: { structuredContent: { logs: [{ message: "LOUD" }] } } };
    expect(asData).toMatchObject([logged, logged]);
  });

  it("criterion 12: a failure is told and nothing is repaired: one attempt, the draft as it was", async () => {
    const place = openPlace();
    const agent = await place.join();
    place.draft("breakable", BREAKABLE);
    const before = readFileSync(join(place.drafts, "breakable.json"), "utf8");
    writeFileSync(`${place.effectsFile}.broken`, "");
    expect(await agent.call("execute", { name: "breakable" })).toMatchObject({ isError: true });
    expect(place.effects().filter(({ tool }) => tool === "fragile")).toHaveLength(1);
    expect(readFileSync(join(place.drafts, "breakable.json"), "utf8")).toBe(before);
  });

  it("criterion 18: every request begins afresh: drafts are read anew, and code leaves nothing behind", async () => {
    const place = openPlace();
    const agent = await place.join();
    const giving = (value: number) =>
      workflow([{ id: "a", type: "code", params: { code: `return ${value}` } }], {
        outputs: { value: { source: "${a}" } },
      });
    for (const value of [1, 2]) {
      place.draft("value", giving(value));
      expect(await agent.call("execute", { name: "value" })).toMatchObject({ outputs: { value } });
    }
    const code = "const before = globalThis.left ?? null; globalThis.left = 1; return before;";
    for (const _ of [1, 2]) expect(await agent.call("execute", { code })).toMatchObject({ outputs: null });
  });

  it("criterion 21: SIGINT lets the step under way end, records it, and exits with 130", async () => {
    const place = openPlace();
    place.draft("held", HELD);
    const gateway = await startRaw(place);
    gateway.call("run", "execute", { name: "held" });
    await eventually("the call", () => place.effects().length === 2);
    gateway.child.kill("SIGINT");
    // A signal and a line may change places once; after the second answer the signal has been taken.
    for (const id of ["ping 1", "ping 2"]) {
      gateway.send({ jsonrpc: "2.0", id, method: "ping" });
      await gateway.answer(id);
    }
    writeFileSync(`${place.effectsFile}.go`, "");
    expect(await gateway.exited()).toEqual({ code: 130, signal: null });
    expect(place.effects().map(({ tool }) => tool)).toEqual(["add", "hold"]);
    await expectHeldGoesOn(place);
  });

  it("criterion 22 and edge 7: runs of one workflow at the same time do not mix", async () => {
    const place = openPlace();
    const agents = [await place.join(), await place.join("2026-07-28")];
    place.draft("greet", GREET);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        agents[n % 2]!.call("execute", { name: "greet", inputs: { who: `no ${n}` } }),
      ),
    );
    expect(answers.map(({ outputs }) => outputs)).toEqual(
      Array.from({ length: 20 }, (_, n) => ({ said: `hello no ${n}, and bye` })),
    );
    expect(new Set(answers.map((answer) => answer["run_id"])).size).toBe(20);
    expect(place.effects()).toHaveLength(40);
  });

  it("criterion 23 and edge 5: missing inputs are all named before anything runs", async () => {
    const place = openPlace();
    const agent = await place.join();
    const inputs = { api_key: { type: "string" }, city: { type: "string" }, given: { type: "string" } };
    const params = { text: "${api_key} ${city} ${given}" };
    place.draft("two", workflow([{ id: "a", type: "notes__add", params }], { inputs }));
    const answer = await agent.call("execute", { name: "two", inputs: { given: "x" } });
    expect(answer).toMatchObject({
      isError: true,
      run_id: null,
      error: { code: "TOOL_INVALID_INPUT", reason: "template_error", missing: ["api_key", "city"] },
    });
    expect(errorOf(answer)["message"]).toContain("${api_key}, ${city}");
    expect(errorOf(answer)["message"]).toContain("given");
    expect(place.effects()).toEqual([]);
  });

  it("criterion 25: a sensitive input is in no line of the log", async () => {
    const place = openPlace({}, { log: { level: "debug" } });
    const agent = await place.join();
    const inputs = { token: { type: "string", sensitive: true } };
    place.draft(
      "secret",
      workflow([{ id: "a", type: "notes__complain", params: { text: "${token}" } }], { inputs }),
    );
    const token = "log-canary-".repeat(3);
    const answer = await agent.call("execute", { name: "secret", inputs: { token } });
    expect(errorOf(answer)["message"]).toContain("[sensitive:token]");
    await agent.client.close();
    expect(agent.stderr()).toContain("run.finished");
    expect(agent.stderr()).not.toContain("log-canary");
  });
});

/** What was under way has ended and is on record; the rest is made, and nothing twice. */
async function expectHeldGoesOn(place: Place): Promise<void> {
  const later = await place.join();
  const { runs } = await later.read("repertoire://runs");
  const [stopped] = runs as { run_id: string; status: string }[];
  expect(stopped).toMatchObject({ status: "cancelled", error: { reason: "stopped" } });
  const trace = await later.read(`repertoire://runs/${stopped!.run_id}`);
  expect(trace["checkpoint"]).toMatchObject({ completed_nodes: ["first", "second"], resumable: true });
  expect(await later.call("execute", { resume: stopped!.run_id })).toMatchObject({
    outputs: { all: "one two three" },
  });
  expect(place.effects().map(({ tool }) => tool)).toEqual(["add", "hold", "add"]);
}

describe("the edge cases", () => {
  it("edge 3: what is not there is told with what is near and what there is", async () => {
    const place = openPlace();
    const agent = await place.join();
    await keepGreet(place, agent);
    place.draft("report", GREET);
    expect(await agent.call("execute", { name: "raport" })).toMatchObject({
      isError: true,
      error: {
        code: "TOOL_NOT_FOUND",
        nearest: ["report"],
        hint: expect.stringMatching(/workflow:greet.*report/),
      },
    });
  });

  it("edge 4: a bare name that the library does not have is looked for in the drafts, in both spellings", async () => {
    const place = openPlace();
    const agent = await place.join();
    await keepGreet(place, agent, "other:greet");
    place.draft("pr-greet", GREET);
    for (const name of ["pr-greet", "pr_greet"]) {
      expect(await agent.call("execute", { name, inputs: { who: "ann" } })).toMatchObject({
        draft: "pr-greet",
      });
    }
  });

  it("edge 8: a client that goes in the middle leaves a checkpoint: the step under way is recorded", async () => {
    const place = openPlace();
    // Longer than the moment that a client's last requests get.
    const pause = { id: "pause", type: "wait", params: { ms: 2_500 } };
    const edges = [
      { from: "second", to: "pause" },
      { from: "pause", to: "third" },
    ];
    place.draft("held", { ...HELD, nodes: [...HELD.nodes, pause], edges });
    const gateway = await startRaw(place);
    gateway.call("run", "execute", { name: "held" });
    await eventually("the call", () => place.effects().length === 2);
    gateway.child.stdin.end();
    writeFileSync(`${place.effectsFile}.go`, "");
    expect(await gateway.exited()).toEqual({ code: 0, signal: null });
    expect(place.effects().map(({ tool }) => tool)).toEqual(["add", "hold"]);
    await expectHeldGoesOn(place);
  });

  it("edge 9: JSON that is broken is told with its place", async () => {
    const place = openPlace();
    const agent = await place.join();
    place.draft("broken", '{\n  "ir_version": "1.0",\n  oops\n}');
    expect(await agent.call("execute", { name: "broken" })).toMatchObject({
      isError: true,
      error: { reason: "validation_error", message: expect.stringContaining("line 3, column 3") },
    });
  });
});
