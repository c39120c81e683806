/** Decisions of people are bound to what they were shown: over restarts, doubled answers, other principals, profiles and eras. */
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { send } from "../src/server/http/http.testkit.ts";
import { openSqliteStore } from "../src/store/sqlite/sqlite-store.ts";
import { createSealedStates } from "../src/gateway/sealed-state.ts";
import { runCli } from "./fixtures/gateway-process.ts";
import { workflow } from "./fixtures/workflows.ts";
import { connectHttp, startHttp, type Message } from "./rig/http-process.ts";
import {
  answering,
  askedIn,
  NO,
  openDecisionPlace,
  openLegacyStdio,
  openModernHttp,
  openModernStdio,
  structureOf,
  YES,
  type Asked,
  type DecisionPlace,
  type ModernWire,
} from "./rig/decision-place.ts";

/** Each test starts up to four gateways and as many commands; on a busy machine each takes seconds. */
vi.setConfig({ testTimeout: 120_000 });

const WIRES = [
  ["stdio", openModernStdio],
  ["HTTP", openModernHttp],
] as const;

const execute = (args: Record<string, unknown>, more: object = {}) => ({
  name: "execute",
  arguments: args,
  ...more,
});
const RUN = { name: "payments" };

function refusalOf({ error, result }: Message): { code: number; message: string } {
  if (error === undefined) throw new Error(`it was answered: ${JSON.stringify(result)}`);
  return error;
}

describe.each(WIRES)("an approval asked of a modern client over %s", (_, open) => {
  it("A2: is answered after the gateway was killed and started again: the run goes on, and pays nothing twice", async () => {
    const place = openDecisionPlace();
    const before = await open(place);
    const asked = askedIn(await before.request("tools/call", execute(RUN)));
    expect(asked.inputRequests["approval"]?.params.message).toContain("Pay 2?");
    await before.kill();
    const after = await open(place);
    const second = askedIn(await after.request("tools/call", execute(RUN, answering(asked))));
    expect(second.inputRequests["approval"]?.params.message).toContain("Pay 3?");
    expect(place.paid()).toEqual([1, 2]);
    await after.kill();
    const last = await open(place);
    const done = await last.request("tools/call", execute(RUN, answering(second)));
    expect(structureOf(done)).toMatchObject({ success: true });
    expect(place.paid()).toEqual([1, 2, 3]);
  });

  it("S3: an answer that is sent twice approves its own question once, and never the next one", async () => {
    const place = openDecisionPlace();
    const wire = await open(place);
    const asked = askedIn(await wire.request("tools/call", execute(RUN)));
    const again = () => wire.request("tools/call", execute(RUN, answering(asked)));
    const [one, other] = await Promise.all([again(), again()]);
    const second = askedIn(one.error === undefined ? one : other);
    const refused = {
      code: -32602,
      message: expect.stringMatching(/used already.*execute \{resume/) as string,
    };
    expect(refusalOf(one.error === undefined ? other : one)).toMatchObject(refused);
    expect(refusalOf(await again())).toMatchObject(refused);
    expect(place.paid()).toEqual([1, 2]);
    const done = await wire.request("tools/call", execute(RUN, answering(second)));
    expect(structureOf(done)).toMatchObject({ success: true });
    expect(place.paid()).toEqual([1, 2, 3]);
  });

  it("S3: an answer to a question that the command line decided meanwhile is refused with the way on", async () => {
    const place = openDecisionPlace();
    const wire = await open(place);
    const asked = askedIn(await wire.request("tools/call", execute(RUN)));
    expect(approve(place, ["last", "--yes", "--resume"]).status).not.toBe(2);
    expect(place.paid()).toEqual([1, 2]);
    const late = structureOf(await wire.request("tools/call", execute(RUN, answering(asked))));
    expect(late).toMatchObject({ success: false, error: { reason: "already_answered" } });
    const { runId } = late["error"] as { runId: string };
    expect(place.paid()).toEqual([1, 2]);
    const next = askedIn(await wire.request("tools/call", execute({ resume: runId })));
    expect(next.inputRequests["approval"]?.params.message).toContain("Pay 3?");
  });

  it("A2: a state that cannot be opened, and answers without one, run nothing", async () => {
    const place = openDecisionPlace();
    const wire = await open(place);
    const asked = askedIn(await wire.request("tools/call", execute(RUN)));
    const changed = asked.requestState.replace(/^./, (first) => (first === "A" ? "B" : "A"));
    const { inputResponses } = answering(asked);
    for (const more of [{ requestState: "unknown" }, { requestState: changed }, {}]) {
      const refused = refusalOf(await wire.request("tools/call", execute(RUN, { ...more, inputResponses })));
      expect(refused).toMatchObject({ code: -32602, message: expect.stringContaining("requestState") });
    }
    const other = execute({ ...RUN, timeout_ms: 1_000 }, answering(asked));
    expect(refusalOf(await wire.request("tools/call", other)).message).toContain("other arguments");
    const elsewhere = { name: "list_library", arguments: {}, ...answering(asked) };
    expect(refusalOf(await wire.request("tools/call", elsewhere)).message).toContain("another call");
    expect(place.paid()).toEqual([1]);
    askedIn(await wire.request("tools/call", execute(RUN, answering(asked))));
    expect(place.paid()).toEqual([1, 2]);
  });

  it("S3: a no is bound like a yes, and ends the run", async () => {
    const place = openDecisionPlace();
    const wire = await open(place);
    const asked = askedIn(await wire.request("tools/call", execute(RUN)));
    const no = await wire.request("tools/call", execute(RUN, answering(asked, NO)));
    expect(structureOf(no)).toMatchObject({ error: { reason: "denied" } });
    expect(refusalOf(await wire.request("tools/call", execute(RUN, answering(asked)))).code).toBe(-32602);
    expect(place.paid()).toEqual([1]);
  });
});

describe("an approval asked of a legacy client", () => {
  it("A2: over stdio, is asked again by the gateway that was started after a kill; the old answer counts for nothing", async () => {
    const place = openDecisionPlace();
    const before = openLegacyStdio(place);
    before.execute("one", RUN);
    const lost = await before.question();
    await before.kill();
    const after = openLegacyStdio(place);
    const runId = lastRunId(place);
    // Nothing has been asked over this connection yet.
    after.say(lost.id, YES);
    const resumed = after.execute("two", { resume: runId });
    const again = await after.question();
    expect(again.params.message).toBe(lost.params.message);
    expect(place.paid()).toEqual([1]);
    after.say(again.id, YES);
    const next = await after.question();
    expect(next.params.message).toContain("Pay 3?");
    // A doubled answer is for a question that is not open any more.
    after.say(again.id, YES);
    expect(place.paid()).toEqual([1, 2]);
    after.say(next.id, YES);
    expect(structureOf(await resumed.answered())).toMatchObject({ success: true });
    expect(place.paid()).toEqual([1, 2, 3]);
  });

  it("A2: over HTTP, is asked again in a new session after a kill", async () => {
    const place = openDecisionPlace();
    const owner = place.owner();
    const first = await startHttp(place);
    onTestFinished(() => first.stop());
    const { client } = await connectHttp("2025-11-25", first.url, owner, { elicitation: {} });
    const questioned = Promise.withResolvers<string>();
    client.setRequestHandler("elicitation/create", ({ params }) => {
      questioned.resolve(params.message);
      return new Promise(() => {});
    });
    const cut = client.callTool(execute(RUN)).catch(() => "cut");
    const message = await questioned.promise;
    first.signal("SIGKILL");
    await first.exited();
    void client.close().catch(() => {});
    void cut;
    const second = await startHttp(place);
    onTestFinished(() => second.stop());
    const heard: string[] = [];
    const after = await connectHttp("2025-11-25", second.url, owner, { elicitation: {} });
    onTestFinished(() => after.client.close());
    after.client.setRequestHandler("elicitation/create", ({ params }) => {
      heard.push(params.message);
      return YES as never;
    });
    const done = await after.client.callTool(execute({ resume: lastRunId(place) }));
    expect(done.structuredContent).toMatchObject({ success: true });
    expect(heard).toEqual([message, expect.stringContaining("Pay 3?")]);
    expect(place.paid()).toEqual([1, 2, 3]);
  });
});

describe("a token without write", () => {
  it("S4: is never asked over legacy HTTP, and its answer would not count; one with write decides under its own name", async () => {
    const place = openDecisionPlace();
    const caller = place.tokenFor("caller", ["read", "call"]);
    const decider = place.tokenFor("decider", ["read", "call", "write"]);
    const gateway = await startHttp(place);
    onTestFinished(() => gateway.stop());
    const heard: string[] = [];
    const open = async (who: typeof caller) => {
      const { client } = await connectHttp("2025-11-25", gateway.url, who, { elicitation: {} });
      onTestFinished(() => client.close());
      client.setRequestHandler("elicitation/create", ({ params }) => {
        heard.push(params.message);
        return YES as never;
      });
      return client;
    };
    const first = await open(caller);
    const paused = (await first.callTool(execute(RUN))).structuredContent as { run_id: string };
    expect(paused).toMatchObject({
      error: { reason: "approval_required", hint: expect.stringContaining("lacks the scope write") },
    });
    const again = await first.callTool(execute({ resume: paused.run_id }));
    expect(again.structuredContent).toMatchObject({ error: { reason: "approval_required" } });
    expect([heard, place.paid()]).toEqual([[], [1]]);
    const done = await (await open(decider)).callTool(execute({ resume: paused.run_id }));
    expect(done.structuredContent).toMatchObject({ success: true });
    expect(heard).toHaveLength(2);
    const trace = runCli(["show", lastRunId(place), "--json", "--config", place.configFile], place);
    expect(trace.stdout).toContain("token:decider");
  });

  it("S4: is not asked in an answer over modern HTTP either", async () => {
    const place = openDecisionPlace();
    const who = place.tokenFor("caller", ["read", "call"]);
    const wire = await openModernHttp(place);
    const paused = structureOf(await wire.request("tools/call", execute(RUN), { who }));
    expect(paused).toMatchObject({ error: { reason: "approval_required" } });
    const asked = askedIn(await wire.request("tools/call", execute({ resume: paused["run_id"] })));
    const stolen = execute({ resume: paused["run_id"] }, answering(asked));
    expect(refusalOf(await wire.request("tools/call", stolen, { who })).message).toContain(
      "another principal",
    );
    expect(place.paid()).toEqual([1]);
  });
});

describe("an approval through a profile", () => {
  const profiles = {
    all: { servers: ["counter"] },
    none: { servers: ["account"] },
  };

  it("S13: counts only through the profile that asked; through one that does not show the run nothing is recorded", async () => {
    const place = openDecisionPlace({ profiles });
    const wire = await openModernHttp(place);
    const asked = askedIn(await wire.request("tools/call", execute(RUN), { path: "/mcp/all" }));
    const yes = execute(RUN, answering(asked));
    for (const path of ["/mcp/none", "/mcp"])
      expect(refusalOf(await wire.request("tools/call", yes, { path })).message).toContain("another profile");
    expect(await place.decisionCount()).toBe(0);
    expect(askedIn(await wire.request("tools/call", yes, { path: "/mcp/all" }))).toBeDefined();
    expect(await place.decisionCount()).toBe(1);
    expect(place.paid()).toEqual([1, 2]);
  });

  it("S13: is refused before it is recorded when the profile shows the run no longer", async () => {
    const place = openDecisionPlace({ profiles });
    const before = await openModernHttp(place);
    const asked = askedIn(await before.request("tools/call", execute(RUN), { path: "/mcp/all" }));
    await before.kill();
    place.configure({ profiles: { ...profiles, all: { servers: ["account"] } } });
    const after = await openModernHttp(place);
    const refused = await after.request("tools/call", execute(RUN, answering(asked)), { path: "/mcp/all" });
    expect(structureOf(refused)).toMatchObject({ error: { code: "TOOL_NOT_FOUND" } });
    expect(await place.decisionCount()).toBe(0);
    expect(place.paid()).toEqual([1]);
  });
});

describe("an approval in a profile that hides what would be done", () => {
  const profiles = { some: { tools: { deny: ["counter__add"] } } };
  const GUARDED = { id: "pay", type: "counter__add", params: { n: 7_199_335_512 }, approval: true };

  it("S13: is neither shown nor decided, and the trace is not readable", async () => {
    const place = openDecisionPlace({ profiles });
    place.draft("guarded", workflow([{ id: "look", type: "counter__get", params: { n: 1 } }, GUARDED]));
    const wire = await openModernHttp(place);
    const asked = askedIn(await wire.request("tools/call", execute({ name: "guarded" })));
    const state = await wire.request(
      "tools/call",
      execute({ name: "guarded" }, answering(asked, { action: "cancel" })),
    );
    const resume = (structureOf(state)["error"] as { runId: string }).runId;
    const some = { path: "/mcp/some" };
    const hidden = await wire.request("tools/call", execute({ resume }), some);
    expect(JSON.stringify(hidden)).not.toContain("7199335512");
    expect(structureOf(hidden)).toMatchObject({ error: { code: "TOOL_NOT_FOUND" } });
    const trace = await wire.request("resources/read", { uri: `repertoire://runs/${resume}` }, some);
    expect(JSON.stringify(trace)).not.toContain("7199335512");
    expect(await place.decisionCount()).toBe(0);
    expect(askedIn(await wire.request("tools/call", execute({ resume }))).inputRequests).toBeDefined();
  });

  it("S13: shows no result of a hidden tool through the run that goes on from another", async () => {
    const place = openDecisionPlace({ profiles });
    const code = { id: "inner", type: "code", params: { code: "return await mcp.counter.add({ n: 70 })" } };
    const fails = { id: "bad", type: "code", params: { code: "throw new Error('no')" } };
    place.draft("deep", workflow([code, fails], { edges: [{ from: "inner", to: "bad" }] }));
    const wire = await openModernHttp(place);
    const first = structureOf(await wire.request("tools/call", execute({ name: "deep" })));
    const second = structureOf(await wire.request("tools/call", execute({ resume: first["run_id"] })));
    expect(second["resumed_from"]).toBe(first["run_id"]);
    for (const run of [first, second]) {
      const uri = `repertoire://runs/${run["run_id"] as string}/inner`;
      const read = await wire.request("resources/read", { uri }, { path: "/mcp/some" });
      expect(refusalOf(read).message).toContain("There is nothing at");
    }
  });
});

describe("a yes of a modern client", () => {
  it("lets the inputs of its call count, of which the store has only the mark", async () => {
    const place = openDecisionPlace();
    const node = { id: "pay", type: "counter__add", params: { n: 1, key: "${pw}" }, approval: true };
    const inputs = { pw: { type: "string", sensitive: true } };
    place.draft("secret", workflow([node], { inputs }));
    const wire = await openModernStdio(place);
    const call = { name: "secret", inputs: { pw: "hunter2-hunter2" } };
    const asked = askedIn(await wire.request("tools/call", execute(call)));
    const done = await wire.request("tools/call", execute(call, answering(asked)));
    expect(structureOf(done)).toMatchObject({ success: true });
    expect(place.paid()).toEqual([1]);
  });
});

describe("a yes of a modern client to what code calls", () => {
  it("lets save_as of its call count: what worked is kept when the last question is answered", async () => {
    const place = openDecisionPlace();
    const wire = await openModernStdio(place);
    const guarded = { id: "pay", type: "counter__add", params: { n: 7 }, approval: true };
    place.draft("guarded", workflow([guarded]));
    const save = { draft_name: "guarded", final_name: "pay:seven", description: "Pays 7." };
    const saved = await wire.request("tools/call", { name: "save_to_library", arguments: save });
    expect(structureOf(saved)).toMatchObject({ success: true });
    const call = { code: "await mcp.pay.seven({}); return 'paid'", save_as: "code:kept_one" };
    const asked = askedIn(await wire.request("tools/call", execute(call)));
    const done = await wire.request("tools/call", execute(call, answering(asked)));
    expect(structureOf(done)).toMatchObject({ outputs: "paid", saved: { tool: "mcp__code__kept_one" } });
    expect(place.paid()).toEqual([7]);
  });
});

describe("a token that is limited to a profile", () => {
  const profiles = { pay: { servers: ["counter"] }, other: { servers: ["account"] } };
  const PING = { body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }) };

  it("S13: opens that profile, and no other, nor the gateway without one; a token without a limit opens all", async () => {
    const place = openDecisionPlace({ profiles });
    const limited = place.tokenFor("limited", ["read", "call", "write"], { profiles: ["pay"] });
    const gateway = await startHttp(place);
    onTestFinished(() => gateway.stop());
    const statusOf = async (path: string, headers: typeof limited) =>
      send(gateway.at(path), { ...PING, headers });
    for (const path of ["/mcp", "/mcp/other", "/mcp/no-such"]) {
      const { status, text } = await statusOf(path, limited);
      expect([status, text]).toEqual([403, expect.stringContaining("only /mcp/pay")]);
      expect((await statusOf(path, place.owner())).status).not.toBe(403);
    }
    expect((await statusOf("/mcp/pay", limited)).status).not.toBe(403);
    for (const era of ["2025-11-25", "2026-07-28"] as const) {
      const { client } = await connectHttp(era, gateway.at("/mcp/pay"), limited);
      expect((await client.callTool(execute({ code: "return 1" }))).structuredContent).toMatchObject({
        outputs: 1,
      });
      await client.close();
    }
  });

  it("S13: opens /mcp where that is its profile", async () => {
    const place = openDecisionPlace({ profiles });
    const [pay, other] = ["pay", "other"].map((name) => place.tokenFor(name, ["read"], { profiles: [name] }));
    const gateway = await startHttp(place, { args: ["--profile", "pay"] });
    onTestFinished(() => gateway.stop());
    expect((await send(gateway.url, { ...PING, headers: pay! })).status).not.toBe(403);
    expect((await send(gateway.url, { ...PING, headers: other! })).status).toBe(403);
  });
});

describe("repertoire approve", () => {
  it("S3: with --yes decides the run that it names and nothing that came after it, and says the newest", async () => {
    const place = openDecisionPlace();
    const wire = await openModernStdio(place);
    askedIn(await wire.request("tools/call", execute(RUN)));
    const first = lastRunId(place);
    expect(approve(place, [first, "--yes", "--resume"]).stderr).toContain("Pay 2?");
    expect(place.paid()).toEqual([1, 2]);
    const second = lastRunId(place);
    expect(second).not.toBe(first);
    const doubled = approve(place, [first, "--yes", "--resume"]);
    expect(doubled.status).not.toBe(0);
    expect(doubled.stderr).toContain("Pay 3?");
    expect(doubled.stderr).toMatch(new RegExp(`approve ${second} --question [0-9a-f]{32} --yes`));
    expect(place.paid()).toEqual([1, 2]);
    const question = /--question ([0-9a-f]{32})/.exec(doubled.stderr)![1]!;
    const bound = [second, "--question", question, "--yes", "--resume"];
    expect(approve(place, bound).status).toBe(0);
    expect(place.paid()).toEqual([1, 2, 3]);
    const late = approve(place, [...bound, "--json"]);
    expect(JSON.parse(late.stdout)).toMatchObject({ error: { reason: "already_answered" } });
    expect(place.paid()).toEqual([1, 2, 3]);
  });

  it("S3: with --yes and several open questions wants one named, so that a doubled command approves no other", async () => {
    const place = openDecisionPlace();
    const wire = await openModernStdio(place);
    askedIn(await wire.request("tools/call", execute({ name: "both" })));
    const runId = lastRunId(place);
    const unnamed = approve(place, [runId, "--yes"]);
    expect(unnamed.status).not.toBe(0);
    const question = /--question ([0-9a-f]{32})/.exec(unnamed.stderr)![1]!;
    expect(approve(place, [runId, "--question", question, "--yes"]).status).toBe(0);
    const doubled = approve(place, [runId, "--question", question, "--yes"]);
    expect(doubled.status).not.toBe(0);
    expect(await place.decisionCount()).toBe(1);
  });
});

describe.each(WIRES)("what a modern server asks a modern client over %s", (_, open) => {
  const REQUESTS = [
    ["tools/call", { name: "account__pay", arguments: { account: "ann" } }, "pay"],
    ["prompts/get", { name: "account__letter", arguments: { account: "ann" } }, "letter"],
    ["resources/read", { uri: "repertoire://server/account/account://statement" }, "account://statement"],
  ] as const;

  it.each(REQUESTS)(
    "S5: %s: its state comes back to it as it was, and to it alone",
    async (method, params, what) => {
      const place = openDecisionPlace();
      const wire = await open(place);
      await wire.request("tools/call", { name: "browse_components", arguments: {} });
      const asked = askedIn(await wire.request(method, params));
      const state = what === "account://statement" ? "account of all" : "account of ann";
      expect(asked.requestState).not.toContain("account");
      expect(Buffer.from(asked.requestState, "base64url").toString("latin1")).not.toContain("account of");
      expect((await wire.request(method, { ...params, ...answering(asked) })).error).toBeUndefined();
      expect(place.believed()).toMatchObject([{ what, state }]);
      const again = refusalOf(await wire.request(method, { ...params, ...answering(asked) }));
      expect(again).toMatchObject({
        code: -32602,
        message: expect.stringMatching(/used already.*Call again/),
      });
      expect(place.believed()).toHaveLength(1);
    },
  );

  it("S5: is refused with other arguments, for another tool, bare, and after it has expired", async () => {
    const place = openDecisionPlace();
    const wire = await open(place);
    const own = { name: "account__pay", arguments: { account: "ann" } };
    const asked = askedIn(await wire.request("tools/call", own));
    const refused = async (params: object, state: Partial<Asked> = {}) => {
      const answers = answering({ ...asked, ...state });
      return refusalOf(await wire.request("tools/call", { ...params, ...answers })).message;
    };
    expect(await refused({ ...own, arguments: { account: "ben" } })).toContain("other arguments");
    expect(await refused({ ...own, name: "account__refund" })).toContain("another call");
    expect(await refused(own, { requestState: "account of ben" })).toContain("not made by this gateway");
    expect(await refused(own, { requestState: await expiredState(place, wire, own) })).toContain("expired");
    expect(place.believed()).toEqual([]);
    await wire.request("tools/call", { ...own, ...answering(asked) });
    expect(place.believed()).toMatchObject([{ state: "account of ann" }]);
  });

  it("S5: is bound where the server gave no state", async () => {
    const place = openDecisionPlace();
    const wire = await open(place);
    const own = { name: "account__stateless", arguments: { account: "ann" } };
    const asked = askedIn(await wire.request("tools/call", own));
    const other = { ...own, arguments: { account: "ben" }, ...answering(asked) };
    expect(refusalOf(await wire.request("tools/call", other)).message).toContain("other arguments");
    await wire.request("tools/call", { ...own, ...answering(asked) });
    expect(place.believed()).toMatchObject([{ what: "stateless", state: null }]);
  });

  it("S5: goes on after the gateway was started again", async () => {
    const place = openDecisionPlace();
    const before = await open(place);
    const own = { name: "account__pay", arguments: { account: "ann" } };
    const asked = askedIn(await before.request("tools/call", own));
    await before.kill();
    const after = await open(place);
    await after.request("tools/call", { ...own, ...answering(asked) });
    expect(place.believed()).toMatchObject([{ what: "pay", state: "account of ann" }]);
  });
});

describe("the state of a modern server over HTTP", () => {
  const profiles = { front: { transparent: "account" }, other: { transparent: "account" } };

  it("S5: is refused to another principal and through another profile, also a transparent one", async () => {
    const place = openDecisionPlace({ profiles });
    const [ann, ben] = ["ann", "ben"].map((name) => place.tokenFor(name, ["read", "call"])) as [never, never];
    const wire = await openModernHttp(place);
    const cells = [
      ["/mcp", "account__pay"],
      ["/mcp/front", "pay"],
    ] as const;
    for (const [path, name] of cells) {
      const own = { name, arguments: { account: "ann" } };
      const asked = askedIn(await wire.request("tools/call", own, { who: ann, path }));
      const back = { ...own, ...answering(asked) };
      const refused = async (as: Parameters<ModernWire["request"]>[2]) =>
        refusalOf(await wire.request("tools/call", back, as)).message;
      expect(await refused({ who: ben, path })).toContain("another principal");
      expect(await refused({ who: ann, path: "/mcp/other" })).toContain("another profile");
      const count = place.believed().length;
      expect((await wire.request("tools/call", back, { who: ann, path })).error).toBeUndefined();
      expect(place.believed()).toHaveLength(count + 1);
    }
  });
});

// ── the command line and the store ──────────────────────────────────────────────────────────────────────────────────

function approve(place: DecisionPlace, args: readonly string[]) {
  return runCli(["approve", ...args, "--config", place.configFile], place);
}

function lastRunId(place: DecisionPlace): string {
  const { stdout } = runCli(["runs", "--json", "--config", place.configFile], place);
  return (JSON.parse(stdout) as { runs: { run_id: string }[] }).runs[0]!.run_id;
}

/** A state as the gateway itself would have made it two days ago. */
async function expiredState(
  place: DecisionPlace,
  { principalId }: ModernWire,
  { name, arguments: args }: { name: string; arguments: object },
): Promise<string> {
  const store = await openSqliteStore({ home: place.home });
  const clock = { now: () => Date.now() - 2 * 86_400_000, elapsed: () => 0 };
  const seal = await createSealedStates({ store: store.seals, clock }).sealer();
  const request = { method: "tools/call", name, args: args as never };
  const state = seal({ kind: "server", server: "account", state: "account of ann" }, request, {
    traceId: "t",
    signal: new AbortController().signal,
    ...(principalId !== null && { principal: { id: principalId } as never }),
  });
  await store.close();
  return state;
}
