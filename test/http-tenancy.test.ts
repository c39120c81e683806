/** Whose token may do what, what ends with it, and what of one client another sees, against the process that users start. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Permission } from "../src/core/principal.ts";
import { openHomeTokens } from "../src/server/auth/tokens.testkit.ts";
import { callOf, initialize, openSession, readEvents, send } from "../src/server/http/http.testkit.ts";
import { eventually } from "./fixtures/temporary.ts";
import { createPlace, messageOf, startHttp } from "./rig/http-process.ts";
import { ENV_CANARY, HEADER_CANARY, modernAs, textOf, until, useStand } from "./rig/http-stand.ts";

const stand = useStand();
const { ask, call, metric } = stand;

/** What each permission alone is good for; a token has those that it was made with, and no permission includes another. */
const MATRIX: readonly (readonly [
  method: string,
  params: Record<string, unknown>,
  needed: readonly Permission[],
])[] = [
  ["server/discover", {}, ["read"]],
  ["tools/list", {}, ["read"]],
  ["resources/list", {}, ["read"]],
  ["resources/templates/list", {}, ["read"]],
  ["resources/read", { uri: "repertoire://runs" }, ["read"]],
  ["prompts/list", {}, ["read"]],
  ["prompts/get", { name: "scripted__none" }, ["read"]],
  [
    "completion/complete",
    { ref: { type: "ref/prompt", name: "none" }, argument: { name: "a", value: "" } },
    ["read"],
  ],
  ["tools/call", { name: "browse_components", arguments: {} }, ["read"]],
  ["tools/call", { name: "list_library", arguments: {} }, ["read"]],
  ["tools/call", { name: "describe_workflow", arguments: { name: "none:none" } }, ["read"]],
  ["tools/call", { name: "scripted__touch", arguments: {} }, ["call"]],
  ["tools/call", { name: "mcp__none__none", arguments: {} }, ["call"]],
  ["tools/call", { name: "no_such_tool", arguments: {} }, ["call"]],
  ["tools/call", { name: "execute", arguments: { code: "return 1;" } }, ["call"]],
  ["tools/call", { name: "execute", arguments: { code: "return 1;", save_as: "a:b" } }, ["call", "write"]],
  ["tools/call", { name: "save_to_library", arguments: { name: "a:b" } }, ["write"]],
  ["no/such", {}, ["admin"]],
];

describe("T132: T133: a token", () => {
  it.each(MATRIX)(
    "for %s %j needs %j, and is told the one that is missing",
    async (method, params, needed) => {
      const before = stand.place.heard().split('"touch"').length;
      for (const permission of ["read", "call", "write", "admin"] as const) {
        const missing = needed.find((one) => one !== permission);
        const answer = await ask(stand.byPermission[permission], method, params);
        expect([permission, answer.status === 403]).toEqual([permission, missing !== undefined]);
        if (missing === undefined) continue;
        const challenge = String(answer.headers["www-authenticate"]);
        expect(challenge).toContain('error="insufficient_scope"');
        expect(challenge).toContain(`scope="${missing}"`);
      }
      const callCount = params["name"] === "scripted__touch" ? 1 : 0;
      expect(stand.place.heard().split('"touch"')).toHaveLength(before + callCount);
    },
  );

  it("that may read nothing opens no stream and ends no session, and only one for operators sees metrics", async () => {
    const session = await openSession(stand.gateway.url, "", stand.byPermission.read);
    for (const permission of ["read", "call", "write", "admin"] as const) {
      const headers = stand.byPermission[permission];
      const isReader = permission === "read";
      const statuses = [];
      for (const [method, path] of [
        ["DELETE", "/mcp"],
        ["GET", "/health"],
        ["GET", "/metrics"],
      ] as const) {
        const stranger = { ...headers, "Mcp-Session-Id": "x".repeat(32) };
        statuses.push((await send(stand.gateway.at(path), { method, headers: stranger })).status);
      }
      expect([permission, ...statuses]).toEqual([
        permission,
        isReader ? 404 : 403,
        isReader ? 200 : 403,
        permission === "admin" ? 200 : 403,
      ]);
    }
    expect((await send(stand.gateway.url, { method: "DELETE", headers: session })).status).toBe(200);
  });
});

describe("T135: a token that is revoked", () => {
  const loop = 'for (let i = 0; ; i++) { await mcp.scripted.touch({ i, who: "WHO" }); }';

  it.each(["2025-11-25", "2026-07-28"])("ends the streams and runs of %s that came with it", async (era) => {
    const name = `guest-${era}`;
    const guest = stand.place.tokenFor(name, ["read", "call"]);
    await until("the token", async () => (await ask(guest, "tools/list")).status === 200);
    const session = era === "2025-11-25" ? await openSession(stand.gateway.url, "", guest) : undefined;
    const args = { code: loop.replace("WHO", name) };
    const run =
      session === undefined
        ? modernAs(guest, 1, "tools/call", { name: "execute", arguments: args })
        : { headers: session, body: callOf(1, "execute", args) };
    const running = readEvents(stand.gateway.url, run);
    const listening =
      session === undefined
        ? readEvents(stand.gateway.url, modernAs(guest, 2, "subscriptions/listen", { notifications: {} }))
        : readEvents(stand.gateway.url, { method: "GET", headers: session });
    const callCount = () => stand.place.heard().split(`"who":"${name}"`).length - 1;
    await eventually("the run", () => callCount() > 3);
    openHomeTokens(stand.place.home).revoke(name);
    await Promise.all([running.ended, listening.ended]);
    await until("the end of the run", async () => (await metric("repertoire_runs_active")) === 0);
    const after = callCount();
    expect(textOf(await call(stand.ben, "scripted__echo"))).toBe("{}");
    expect(callCount()).toBe(after);
    expect((await ask(guest, "tools/list")).status).toBe(401);
  });

  it("is waited for by no server: its calls are cancelled there", async () => {
    const guest = stand.place.tokenFor("guest-call", ["read", "call"]);
    await until("the token", async () => (await ask(guest, "tools/list")).status === 200);
    const session = await openSession(stand.gateway.url, "", guest);
    const cancelled = () => stand.place.heard().split("notifications/cancelled").length;
    const before = cancelled();
    const waiting = [
      readEvents(stand.gateway.url, {
        headers: session,
        body: callOf(1, "scripted__wait", { key: "revoked-1" }),
      }),
      readEvents(
        stand.gateway.url,
        modernAs(guest, 2, "tools/call", { name: "scripted__wait", arguments: { key: "revoked-2" } }),
      ),
    ];
    await eventually(
      "the calls",
      () => stand.place.heard().includes("revoked-1") && stand.place.heard().includes("revoked-2"),
    );
    openHomeTokens(stand.place.home).revoke("guest-call");
    await Promise.all(waiting.map(({ ended }) => ended));
    await eventually("the cancellations", () => cancelled() === before + 2);
  });
});

describe("T141: one who asks for a lot", () => {
  it("has another wait for a turn, and not for all of it", async () => {
    const code = "return await mcp.scripted.wait({ key: args.key });";
    expect(await call(stand.ben, "execute", { code: "return 'ben';" })).toMatchObject({ result: {} });
    const many = Array.from({ length: 200 }, (_, i) => {
      const args = { code, inputs: { key: `fair-${i}` } };
      return readEvents(
        stand.gateway.url,
        modernAs(stand.ann, i, "tools/call", { name: "execute", arguments: args }),
      );
    });
    const begun = () => new Set(stand.place.heard().match(/(?<="key":")fair-\d+/g));
    await eventually("as many as there are places", () => begun().size >= 8);
    const ben = { isServed: false };
    const served = call(stand.ben, "execute", { code: "return 'ben';" }).finally(() => (ben.isServed = true));
    // A turn at a time: a place is given back only when the one before has been taken, so a slow machine has slow turns, not more.
    const released = new Set<string>();
    while (!ben.isServed && released.size < 200) {
      const begunBefore = begun();
      const next = [...begunBefore].find((key) => !released.has(key));
      if (next === undefined) break;
      stand.place.release(next);
      released.add(next);
      await eventually(
        "the next turn",
        () => ben.isServed || begun().size > begunBefore.size || released.size > 190,
      );
    }
    expect((await served).result?.["structuredContent"]).toMatchObject({ success: true, outputs: "ben" });
    expect(released.size).toBeLessThan(100);
    for (const run of many) run.cut();
    await until("the end of the runs", async () => (await metric("repertoire_runs_active")) === 0);
  });
});

describe("T131: the same name in two projects", () => {
  it("is two capabilities, and each gateway has its own", async () => {
    const other = createPlace({ scope: { project: "other" } });
    onTestFinished(() => other.remove());
    const second = await startHttp(other, { args: ["--home", stand.place.home] });
    onTestFinished(() => second.stop());
    const at = async (url: URL, name: string, args: object) => {
      const answer = await send(url, modernAs(stand.ann, 1, "tools/call", { name, arguments: args }));
      return messageOf(answer.text).result?.["structuredContent"];
    };
    const places = [
      [stand.gateway.url, "here"],
      [second.url, "there"],
    ] as const;
    for (const [url, word] of places) {
      const kept = await at(url, "execute", { code: `return { word: "${word}" };`, save_as: "shared:same" });
      expect(kept).toMatchObject({ success: true });
    }
    for (const [url, word] of places) {
      expect(await at(url, "mcp__shared__same", {})).toMatchObject({ word });
      expect(await at(url, "list_library", { pattern: "shared:*" })).toMatchObject({
        items: [{ version: 1 }],
      });
    }
  });
});

/** Every file below a folder, as text. */
function filesBelow(folder: string): { readonly path: string; readonly text: string }[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => join(folder, path))
    .filter((path) => statSync(path).isFile())
    .map((path) => ({ path, text: readFileSync(path, "latin1") }));
}

describe("T136: secrets", () => {
  it("of clients reach no server, and no secret is in an answer, a log, a metric, a trace or the store", async () => {
    const guess = `Bearer ${"g".repeat(43)}`;
    const answers = [
      await send(stand.gateway.url, { headers: { Authorization: guess }, body: initialize() }),
      await send(stand.gateway.at(`/no/such?token=${"q".repeat(20)}`), { method: "GET", headers: stand.ann }),
      await send(stand.gateway.at("/health"), { method: "GET", headers: stand.ann }),
      await send(stand.gateway.at("/metrics"), { method: "GET", headers: stand.owner }),
      await ask(stand.ann, "tools/call", { name: "recording__echo", arguments: {} }),
      await ask(stand.ann, "tools/call", { name: "no_such__tool", arguments: {} }),
      await ask(stand.ann, "tools/call", { name: "browse_components", arguments: {} }),
      await ask(stand.ann, "resources/read", { uri: "repertoire://runs" }),
      await ask(stand.ann, "no/such"),
    ];
    await eventually("the traces", () => stand.recording.heard("/v1/traces").length > 0);
    const shown: Record<string, string> = {
      answers: answers.map(({ headers, text }) => JSON.stringify(headers) + text).join("\n"),
      log: stand.gateway.stderr(),
      traces: stand.recording.heard("/v1/traces"),
      "stdio server": stand.place.heard(),
      "http server": stand.recording.heard("/mcp"),
    };
    for (const { path, text } of filesBelow(stand.place.home))
      if (!path.endsWith("tokens.json")) shown[path] = text;
    expect(Object.keys(shown).length).toBeGreaterThan(5);
    expect(shown["log"]).toContain("http.request");
    const tokens = [stand.owner, stand.ann, stand.ben, ...Object.values(stand.byPermission)].map((one) =>
      one["Authorization"]!.slice(7),
    );
    const canaries = [...tokens, guess.slice(7), "q".repeat(20), ENV_CANARY];
    const found = Object.entries(shown).flatMap(([where, text]) =>
      canaries
        .filter((canary) => text.includes(canary))
        .map((canary) => `${canary.slice(0, 12)} in ${where}`),
    );
    expect(found).toEqual([]);
    const keyed = Object.entries(shown).filter(([, text]) => text.includes(HEADER_CANARY));
    expect(keyed.map(([where]) => where)).toEqual(["http server"]);
    expect(shown["http server"]).not.toContain("authorization");
  });
});
