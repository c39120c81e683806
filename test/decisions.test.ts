/** Decisions of people are bound to what they were shown: over restarts, doubled answers, other principals, profiles and eras. */
import { describe, expect, it } from "vitest";
import { openSqliteStore } from "../src/store/sqlite/sqlite-store.ts";
import { createSealedStates } from "../src/gateway/sealed-state.ts";
import type { Message } from "./rig/http-process.ts";
import {
  answering,
  askedIn,
  openDecisionPlace,
  openModernHttp,
  openModernStdio,
  type Asked,
  type DecisionPlace,
  type ModernWire,
} from "./rig/decision-place.ts";

const WIRES = [
  ["stdio", openModernStdio],
  ["HTTP", openModernHttp],
] as const;

function refusalOf({ error, result }: Message): { code: number; message: string } {
  if (error === undefined) throw new Error(`it was answered: ${JSON.stringify(result)}`);
  return error;
}

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
