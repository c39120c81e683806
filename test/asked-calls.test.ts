/**
 * A rule asks a person before a call: over every way in which a call is made, in both eras, over a restart and over
 * `kill -9` at every point between the question and the effect.
 */
import { describe, expect, it } from "vitest";
import { connect, runCli, type Era } from "./fixtures/gateway-process.ts";
import {
  answering,
  askedIn,
  NO,
  openDecisionPlace,
  openModernHttp,
  openModernStdio,
  structureOf,
  type DecisionPlace,
} from "./rig/decision-place.ts";
import { openWire } from "./rig/modern-wire.ts";
import { newestRunId } from "./rig/run-records.ts";

const RULES = [{ tool: "counter__add", do: "ask", why: "Money moves." }];
const CALL = { name: "counter__add", arguments: { n: 1 } };
const CODE = `
const seen = await mcp.counter.get({ n: 4 });
const paid = await mcp.counter.add({ n: seen.n + 1 });
return paid.n`;
/** Several gateways start, one after the other. */
const PATIENCE_MS = 120_000;

const openPlace = () => openDecisionPlace({ rules: RULES });
const argsOf = ({ configFile }: DecisionPlace) => ["--config", configFile];

/** A client of the SDK; with `says`, a person behind it answers. */
async function join(place: DecisionPlace, era: Era, says?: boolean) {
  const { client } = await connect(era, {
    folder: place.folder,
    args: argsOf(place),
    capabilities: says === undefined ? {} : { elicitation: {} },
  });
  const heard: string[] = [];
  if (says !== undefined) {
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      heard.push(params.message);
      return { action: "accept" as const, content: { approve: says } };
    });
  }
  const call = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args });
  return { call, heard };
}

function approve(place: DecisionPlace, ...more: string[]) {
  return runCli(["approve", "last", "--yes", ...more, ...argsOf(place)], { folder: place.folder });
}

describe("a tool that a client calls", () => {
  it(
    "tells the id of its question, by which it is answered, also where a secret is left out",
    { timeout: PATIENCE_MS },
    async () => {
      const place = openPlace();
      const { call } = await join(place, "2025-11-25");
      const { structuredContent } = await call(CALL.name, { n: 1, password: "hunter2-hunter2" });
      expect(JSON.stringify(structuredContent)).not.toContain("hunter2");
      const { question } = (structuredContent as { waiting_for: { question: string } }).waiting_for;
      expect(approve(place, "--question", question)).toMatchObject({ status: 0 });
      await call(CALL.name, { n: 1, password: "hunter2-hunter2" });
      expect(place.paid()).toEqual([1]);
    },
  );

  it.each(["2025-11-25", "2026-07-28"] as const)(
    "waits as a run where no person is behind the client, and the same call again goes on (%s)",
    { timeout: PATIENCE_MS },
    async (era) => {
      const place = openPlace();
      const { call } = await join(place, era);
      const waiting = await call(CALL.name, CALL.arguments);
      expect(waiting.isError).not.toBe(true);
      expect(waiting.structuredContent).toMatchObject({
        status: "paused",
        run_id: expect.any(String),
        waiting_for: {
          name: "counter__add",
          message: expect.stringContaining("Money moves."),
          details: { type: "counter__add", params: { n: 1 }, rule: "rules[0]" },
          question: expect.any(String),
          expires: expect.any(String),
        },
        hint: expect.stringContaining("repertoire approve"),
      });
      const again = await call(CALL.name, CALL.arguments);
      expect(again.structuredContent).toMatchObject({
        run_id: (waiting.structuredContent as { run_id: string }).run_id,
      });
      expect(place.paid()).toEqual([]);
      expect(approve(place)).toMatchObject({ status: 0 });
      expect((await call(CALL.name, CALL.arguments)).structuredContent).toMatchObject({ n: 1, double: 2 });
      expect(place.paid()).toEqual([1]);
      // The yes was for one call.
      expect((await call(CALL.name, CALL.arguments)).structuredContent).toMatchObject({ status: "paused" });
      expect(place.paid()).toEqual([1]);
    },
  );

  it.each(["2025-11-25", "2026-07-28"] as const)(
    "asks the person behind the client, and answers as the tool does (%s)",
    { timeout: PATIENCE_MS },
    async (era) => {
      const place = openPlace();
      const { call, heard } = await join(place, era, true);
      const answer = await call(CALL.name, CALL.arguments);
      expect(answer).toMatchObject({ structuredContent: { n: 1, double: 2 }, content: [{ type: "text" }] });
      expect(heard).toEqual([
        expect.stringMatching(/^May counter__add be called\?.*Money moves\.\n\n.*"n":1/s),
      ]);
      expect(place.paid()).toEqual([1]);
    },
  );

  it.each(["2025-11-25", "2026-07-28"] as const)(
    "is not made after a no (%s)",
    { timeout: PATIENCE_MS },
    async (era) => {
      const place = openPlace();
      const { call, heard } = await join(place, era, false);
      expect(await call(CALL.name, CALL.arguments)).toMatchObject({
        isError: true,
        structuredContent: { error: { reason: "denied" } },
      });
      expect(heard).toHaveLength(1);
      expect(place.paid()).toEqual([]);
    },
  );

  it("is asked about in the answer, and no other answer counts", { timeout: PATIENCE_MS }, async () => {
    const place = openPlace();
    const wire = await openModernHttp(place);
    const asked = await wire.request("tools/call", CALL);
    const answer = { ...CALL, ...answering(askedIn(asked)) };
    const other = { ...answer, arguments: { n: 2 } };
    expect((await wire.request("tools/call", other)).error).toMatchObject({ code: -32602 });
    expect(place.paid()).toEqual([]);
    expect((await wire.request("tools/call", answer)).result).toMatchObject({ structuredContent: { n: 1 } });
    expect((await wire.request("tools/call", answer)).error).toMatchObject({ code: -32602 });
    expect(place.paid()).toEqual([1]);
  });
});

it.each(["2025-11-25", "2026-07-28"] as const)(
  "a server that is fronted alone is asked about under its own names (%s)",
  { timeout: PATIENCE_MS },
  async (era) => {
    const place = openDecisionPlace({ rules: RULES, profiles: { only: { transparent: "counter" } } });
    const heard: string[] = [];
    const { client } = await connect(era, {
      folder: place.folder,
      args: [...argsOf(place), "--profile", "only"],
      capabilities: { elicitation: {} },
    });
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      heard.push(params.message);
      return { action: "accept" as const, content: { approve: true } };
    });
    const answer = await client.callTool({ name: "add", arguments: { n: 7 } });
    expect(answer.structuredContent).toMatchObject({ n: 7, double: 14 });
    expect([heard.length, place.paid()]).toEqual([1, [7]]);
  },
);

describe("code", () => {
  it.each(["2025-11-25", "2026-07-28"] as const)(
    "asks the person behind the client and goes on, without repeating anything (%s)",
    { timeout: PATIENCE_MS },
    async (era) => {
      const place = openPlace();
      const { call, heard } = await join(place, era, true);
      expect((await call("execute", { code: CODE })).structuredContent).toMatchObject({
        success: true,
        outputs: 5,
      });
      expect(heard).toHaveLength(1);
      expect(place.paid()).toEqual([4, 5]);
    },
  );

  it("waits over a restart, and the journal shows who said yes", { timeout: PATIENCE_MS }, async () => {
    const place = openPlace();
    const first = await openModernStdio(place);
    const asked = askedIn(await first.request("tools/call", { name: "execute", arguments: { code: CODE } }));
    await first.kill();
    const second = await openModernStdio(place);
    const answer = { name: "execute", arguments: { code: CODE }, ...answering(asked) };
    expect(structureOf(await second.request("tools/call", answer))).toMatchObject({
      success: true,
      outputs: 5,
    });
    expect(place.paid()).toEqual([4, 5]);
    const shown = runCli(["show", "last", "--json", ...argsOf(place)], { folder: place.folder });
    expect(shown.stdout).toContain('"approved": true');
  });

  it("fails after a no", { timeout: PATIENCE_MS }, async () => {
    const place = openPlace();
    const wire = await openModernStdio(place);
    const request = { name: "execute", arguments: { code: CODE } };
    const asked = askedIn(await wire.request("tools/call", request));
    const answer = { ...request, ...answering(asked, NO) };
    expect(structureOf(await wire.request("tools/call", answer))).toMatchObject({
      error: { reason: "denied" },
    });
    expect(place.paid()).toEqual([4]);
  });
});

describe.skipIf(process.platform === "win32")("kill -9", () => {
  it.each([
    ["approval.asked", "asks"],
    ["run.ending", "asks"],
    ["run.ended", "asks"],
    ["resume.started:1", "goes on"],
    ["approval.spent", "asks again"],
    ["step.opened", "is uncertain"],
    ["step.closed", "goes on"],
  ] as const)(
    "at %s loses no question and repeats no effect: the run that goes on %s",
    { timeout: PATIENCE_MS },
    async (death, then) => {
      const place = openPlace();
      const options = (crashAt?: string) => ({
        folder: place.folder,
        args: argsOf(place),
        ...(crashAt !== undefined && { env: { REPERTOIRE_CRASH_AT: crashAt } }),
      });
      const isBeforeAnswer = then === "asks";
      const first = openWire(options(isBeforeAnswer ? death : undefined));
      const request = { name: "execute", arguments: { code: CODE } };
      const asked = await first.request("tools/call", request);
      if (isBeforeAnswer) expect(asked).toBeUndefined();
      else await first.kill();
      if (!isBeforeAnswer) {
        const second = openWire(options(death));
        const answer = { ...request, ...answering(askedIn(asked!)) };
        expect(await second.request("tools/call", answer), `${death} was not reached`).toBeUndefined();
      }
      const runId = newestRunId(place);
      const before = place.paid().length;
      const third = openWire(options());
      const resume = { name: "execute", arguments: { resume: runId } };
      const next = await third.request("tools/call", resume);
      if (then === "goes on") expect(structureOf(next!)).toMatchObject({ success: true, outputs: 5 });
      else if (then === "is uncertain") {
        expect(structureOf(next!)).toMatchObject({ error: { reason: "uncertain_step" } });
        return expect(place.paid()).toHaveLength(before);
      } else {
        const answered = await third.request("tools/call", { ...resume, ...answering(askedIn(next!)) });
        expect(structureOf(answered!), JSON.stringify(answered)).toMatchObject({ success: true, outputs: 5 });
      }
      expect(place.paid()).toEqual([4, 5]);
    },
  );
});

it(
  "200 runs that wait at once survive a restart, and each yes is for its own",
  { timeout: 300_000 },
  async () => {
    const place = openPlace();
    const count = Number(process.env["ASKED_RUN_COUNT"] ?? 200);
    const first = await openModernStdio(place);
    const numbers = Array.from({ length: count }, (_, at) => at + 1);
    const requests = numbers.map((n) => ({ name: "counter__add", arguments: { n } }));
    const asked = await Promise.all(requests.map((request) => first.request("tools/call", request)));
    await first.kill();
    const second = await openModernStdio(place);
    const answered = await Promise.all(
      requests.map((request, at) =>
        second.request("tools/call", {
          ...request,
          ...answering(askedIn(asked[at]!), at % 2 === 0 ? undefined : NO),
        }),
      ),
    );
    expect(answered.map(({ result }) => structureOf({ result })["n"] ?? null)).toEqual(
      numbers.map((n) => (n % 2 === 1 ? n : null)),
    );
    expect(place.paid().toSorted((a, b) => a - b)).toEqual(numbers.filter((n) => n % 2 === 1));
  },
);
