import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../../test/fixtures/temporary.ts";
import { silentLog, type Log } from "../../core/log.ts";
import type { Permission } from "../../core/principal.ts";
import { tokenFileOf } from "./token-file.ts";
import { watchTokens, type WatchOptions } from "./token-principals.ts";
import { digestOf } from "./token.ts";
import { openHomeTokens } from "./tokens.testkit.ts";

/** Looks by itself so rarely that only the folder's watch, or a look of the test, can be the reason. */
const NEVER_MS = 2 ** 30;

function homeWith(names: Record<string, readonly Permission[]>) {
  const home = temporaryFolder();
  const tokens = openHomeTokens(home);
  const texts = new Map<string, Buffer>();
  for (const [name, permissions] of Object.entries(names)) {
    const made = tokens.create(name, permissions);
    if (made.success) texts.set(name, digestOf(made.data.token));
  }
  return { home, tokens, digest: (name: string) => texts.get(name)! };
}

function watching(home: string, { log = silentLog, ...options }: WatchOptions & { log?: Log } = {}) {
  const principals = watchTokens(home, log, { lookMs: NEVER_MS, ...options });
  onTestFinished(() => principals.close());
  return {
    ...principals,
    find: (digest: Buffer) => {
      const found = principals.find(digest);
      return found?.kind === "good" ? found.principal : undefined;
    },
    findAny: (digest: Buffer) => principals.find(digest),
  };
}

const ended = (signal: AbortSignal) =>
  new Promise<void>((resolve) =>
    signal.aborted ? resolve() : signal.addEventListener("abort", () => resolve()),
  );

describe("the principals of tokens", () => {
  it("have the token's name and permissions, and stay the same", () => {
    const { home, digest } = homeWith({ a: ["read"], b: ["read", "call"] });
    const principals = watching(home);
    const found = principals.find(digest("b"))!;
    expect(found).toMatchObject({ id: "token:b", name: "b", permissions: new Set(["read", "call"]) });
    principals.look();
    expect(principals.find(digest("b"))).toBe(found);
    expect(principals.find(digestOf("something else"))).toBeUndefined();
  });

  it("S13: are other ones when the profiles of the token change, so that open sessions end", () => {
    const { home, tokens } = homeWith({});
    const made = tokens.create("bot", ["read"], { profiles: ["triage"] });
    const digest = digestOf(made.success ? made.data.token : "");
    const principals = watching(home);
    const before = principals.find(digest)!;
    expect(before.profiles).toEqual(new Set(["triage"]));
    writeFileSync(
      tokenFileOf(home),
      JSON.stringify({ tokens: [{ ...tokens.list()[0], profiles: ["ops"] }] }),
    );
    principals.look();
    expect(before.revoked.aborted).toBe(true);
    expect(principals.find(digest)?.profiles).toEqual(new Set(["ops"]));
  });

  it.each([[[]], ["triage"], [[1]], [null]])(
    "S13: fail closed where the file says profiles: %j",
    (profiles) => {
      const { home, tokens, digest } = homeWith({ a: ["read"] });
      writeFileSync(tokenFileOf(home), JSON.stringify({ tokens: [{ ...tokens.list()[0], profiles }] }));
      expect(watching(home).find(digest("a"))).toBeUndefined();
    },
  );

  it.each([
    ["the folder's watch", NEVER_MS],
    ["the slow look", 20],
  ])("T135: of a token that is revoked elsewhere are told so by %s", async (_, lookMs) => {
    const { home, tokens, digest } = homeWith({ a: ["read"], b: ["read"] });
    const principals = watching(home, { lookMs });
    const [a, b] = [principals.find(digest("a"))!, principals.find(digest("b"))!];
    tokens.revoke("a");
    await ended(a.revoked);
    expect(principals.find(digest("a"))).toBeUndefined();
    expect(principals.find(digest("b"))).toBe(b);
    expect(b.revoked.aborted).toBe(false);
  });

  it("T135: of a token that is rotated end with the old text", () => {
    const { home, tokens, digest } = homeWith({ a: ["read"] });
    const principals = watching(home);
    const old = principals.find(digest("a"))!;
    const rotated = tokens.rotate("a");
    principals.look();
    expect(old.revoked.aborted).toBe(true);
    expect(principals.find(digest("a"))).toBeUndefined();
    if (!rotated.success) throw new Error(rotated.error.message);
    expect(principals.find(digestOf(rotated.data.token))).toMatchObject({ id: "token:a" });
  });

  it("T135: of a token whose scopes are edited end with the old scopes", () => {
    const { home, tokens, digest } = homeWith({ a: ["read", "admin"] });
    const principals = watching(home);
    const old = principals.find(digest("a"))!;
    const edited = tokens.list().map((entry) => ({ ...entry, permissions: ["read"] }));
    writeFileSync(tokenFileOf(home), JSON.stringify({ tokens: edited }), { mode: 0o600 });
    principals.look();
    expect(old.revoked.aborted).toBe(true);
    expect(principals.find(digest("a"))!.permissions).toEqual(new Set(["read"]));
  });

  it.each([
    ["is gone", (file: string) => rmSync(file)],
    ["is damaged", (file: string) => writeFileSync(file, "{")],
    ["can be read by others", (file: string) => chmodSync(file, 0o644)],
  ])("T136: are none while the file %s", (_, spoil) => {
    const { home, digest } = homeWith({ a: ["read"] });
    const events: string[] = [];
    const principals = watching(home, { log: { ...silentLog, error: (event) => events.push(event) } });
    const old = principals.find(digest("a"))!;
    spoil(tokenFileOf(home));
    principals.look();
    expect(old.revoked.aborted).toBe(true);
    expect(principals.find(digest("a"))).toBeUndefined();
    principals.look();
    expect(events.length).toBeLessThanOrEqual(1);
  });

  it("have the limits of the token, and are others when a limit changes", () => {
    const { home, tokens } = homeWith({});
    const limits = { effects: ["read"], tools: ["github__*"], profiles: ["ops"] } as const;
    const made = tokens.create("bot", ["read", "call"], limits);
    const digest = digestOf(made.success ? made.data.token : "");
    const principals = watching(home);
    const before = principals.find(digest)!;
    expect(before).toMatchObject({
      profiles: new Set(["ops"]),
      effects: new Set(["read"]),
      tools: ["github__*"],
    });
    const wider = { ...tokens.list()[0], effects: ["read", "write"] };
    writeFileSync(tokenFileOf(home), JSON.stringify({ tokens: [wider] }));
    principals.look();
    expect(before.revoked.aborted).toBe(true);
    expect(principals.find(digest)?.effects).toEqual(new Set(["read", "write"]));
  });

  it("T135: of a token that expires are told so by a look at the clock, also if it jumped", () => {
    const home = temporaryFolder();
    const time = { nowMs: 0 };
    const clock = { now: () => time.nowMs, elapsed: () => 0 };
    const tokens = openHomeTokens(home, { clock });
    // Longer than a timer of Node can wait.
    const expiresAtMs = 400 * 86_400_000;
    const expiresAt = new Date(expiresAtMs).toISOString();
    const made = tokens.create("bot", ["read"], { expiresAt });
    const digest = digestOf(made.success ? made.data.token : "");
    const principals = watching(home, { clock });
    const before = principals.find(digest)!;
    time.nowMs = expiresAtMs - 1;
    principals.look();
    expect(principals.find(digest)).toBe(before);
    expect(before.revoked.aborted).toBe(false);
    time.nowMs = expiresAtMs;
    principals.look();
    expect(before.revoked.aborted).toBe(true);
    expect(principals.findAny(digest)).toEqual({ kind: "expired", expiresAt });
  });

  it("T135: of a token that has expired are not found, though nothing has looked since", () => {
    const home = temporaryFolder();
    const time = { nowMs: 0 };
    const clock = { now: () => time.nowMs, elapsed: () => 0 };
    const made = openHomeTokens(home, { clock }).create("bot", ["read"], {
      expiresAt: "1970-01-01T00:00:01.000Z",
    });
    const digest = digestOf(made.success ? made.data.token : "");
    const principals = watching(home, { clock });
    const before = principals.find(digest)!;
    time.nowMs = 1_000;
    expect(principals.findAny(digest)).toMatchObject({ kind: "expired" });
    expect(before.revoked.aborted).toBe(true);
  });

  it("T135: of a token that expires end by the slow look alone", async () => {
    const home = temporaryFolder();
    const time = { nowMs: 0 };
    const clock = { now: () => time.nowMs, elapsed: () => 0 };
    const made = openHomeTokens(home, { clock }).create("bot", ["read"], {
      expiresAt: "1970-01-01T00:00:01.000Z",
    });
    const principals = watching(home, { clock, lookMs: 10 });
    const before = principals.find(digestOf(made.success ? made.data.token : ""))!;
    time.nowMs = 5_000;
    await ended(before.revoked);
  });

  it.each([
    ["effects", []],
    ["effects", "read"],
    ["effects", ["all"]],
    ["effects", null],
    ["tools", []],
    ["tools", "*"],
    ["tools", ["a b"]],
    ["tools", [""]],
    ["tools", [1]],
    ["tools", Array.from({ length: 101 }, (_, i) => `t${i}`)],
    ["expiresAt", "never"],
    ["expiresAt", null],
    ["expiresAt", 4_000_000_000_000],
    ["expiresAt", "2099-01-01"],
    ["expiresAt", ""],
  ])("fail closed where the file says %s: %j", (field, value) => {
    const { home, tokens, digest } = homeWith({ a: ["read"] });
    writeFileSync(tokenFileOf(home), JSON.stringify({ tokens: [{ ...tokens.list()[0], [field]: value }] }));
    expect(watching(home).findAny(digest("a"))).toBeUndefined();
  });

  it("come with a file that is made later", async () => {
    const home = temporaryFolder();
    const principals = watching(home);
    const { token } = openHomeTokens(home).showDefault();
    principals.look();
    expect(principals.find(digestOf(token))).toMatchObject({ id: "token:default" });
  });
});
