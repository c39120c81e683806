/** Tokens of gateways that share a database. SQLite stands for it here: the store is one text for both. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { randomBytes } from "node:crypto";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { temporaryFolder } from "../../../test/fixtures/temporary.ts";
import { silentLog } from "../../core/log.ts";
import type { TokenStore } from "../../core/replica-store.ts";
import { createRevisionWatch } from "../../app/store/revision-watch.ts";
import type { Store } from "../../core/store.ts";
import type { ToolResult } from "../../core/result.ts";
import { openDatabase } from "../../secrets/sealed-secrets.testkit.ts";
import { readEnvironmentToken } from "./environment-token.ts";
import { createGate } from "./gate.ts";
import { keepInStore } from "./token-keeper.ts";
import { watchTokenTable, type FollowTokens, type TableOptions } from "./token-table.ts";
import { openTokens } from "./tokens.ts";

function requireData<T>(result: ToolResult<T>): T {
  if (!result.success) throw new Error(result.error.message);
  return result.data;
}

/** As `app` follows the tokens; a test that tells of changes itself follows nothing. */
function followIn({ revisions }: Pick<Store, "revisions">): FollowTokens {
  const watch = createRevisionWatch({ revisions, log: silentLog });
  onTestFinished(() => watch.close());
  watch.start();
  return (look) => watch.on("tokens", look);
}

const NOTHING: FollowTokens = () => () => {};

async function openGate(store: Pick<TokenStore, "list">, options: Partial<TableOptions> = {}) {
  const principals = await watchTokenTable(store, silentLog, { follow: NOTHING, ...options });
  const gate = createGate({ tokens: principals, log: silentLog });
  onTestFinished(() => gate.close());
  let count = 0;
  return {
    principals,
    /** Each from another address, so that nobody is told to wait. */
    admit: (token: string) =>
      gate.admit({ authorization: `Bearer ${token}`, remote: `10.0.0.${count++}`, resource: "/mcp" }),
  };
}

/** As two gateways have it. */
async function openTwo() {
  const home = temporaryFolder();
  const [one, other] = [await openDatabase(home), await openDatabase(home)];
  const tokens = openTokens(keepInStore(one.tokens));
  return { home, tokens, other: other.tokens, follow: () => followIn(other) };
}

/** The other gateway polls every 400 ms; on a busy machine a second may pass before anything is asked. */
const seen = { timeout: 20_000, interval: 20 };

describe("tokens in a shared database", () => {
  it("made at one gateway come in at another, and are refused there when they are revoked", async () => {
    const { tokens, other, follow } = await openTwo();
    const { admit } = await openGate(other, { follow: follow() });
    const { token } = requireData(await tokens.create("laptop", ["read", "call"]));
    await vi.waitFor(async () => expect(await admit(token)).toMatchObject({ kind: "admitted" }), seen);
    const admission = await admit(token);
    if (admission.kind === "refused") throw new Error(admission.message);
    const { principal } = admission;
    expect(principal).toMatchObject({ id: "token:laptop", permissions: new Set(["read", "call"]) });
    const ended = new Promise((resolve) => principal.revoked.addEventListener("abort", resolve));
    requireData(await tokens.revoke("laptop"));
    await ended;
    expect(await admit(token)).toMatchObject({ kind: "refused" });
  });

  it("keep their limits, and end with the old text when they are replaced", async () => {
    const { tokens, other } = await openTwo();
    const limits = { profiles: ["ops"], effects: ["read"], tools: ["github__*"] } as const;
    const before = requireData(await tokens.create("bot", ["read"], limits));
    const after = requireData(await tokens.rotate("bot"));
    const { admit } = await openGate(other);
    expect(await admit(before.token)).toMatchObject({ kind: "refused" });
    expect(await admit(after.token)).toMatchObject({
      principal: { profiles: new Set(["ops"]), effects: new Set(["read"]), tools: ["github__*"] },
    });
    expect(await openTokens(keepInStore(other)).list()).toMatchObject([{ name: "bot", ...limits }]);
  });

  it("are there by their hashes alone, and there is no default one", async () => {
    const { tokens, other } = await openTwo();
    const cure = { hint: expect.stringMatching(/REPERTOIRE_TOKEN.*repertoire token create NAME/) };
    await expect(tokens.showDefault()).rejects.toMatchObject(cure);
    await expect(tokens.begin()).rejects.toMatchObject(cure);
    const { token } = requireData(await tokens.create("laptop", ["read"]));
    expect(await tokens.begin()).toBeUndefined();
    expect(JSON.stringify(await other.list())).not.toContain(token);
    expect(tokens.hasDefault).toBe(false);
  });

  it("are not needed where the environment gives one", async () => {
    const { other } = await openTwo();
    const text = randomBytes(32).toString("hex");
    const environment = readEnvironmentToken({ REPERTOIRE_TOKEN: text });
    const tokens = openTokens(keepInStore(other), { readEnvironment: () => environment });
    expect(await tokens.begin()).toBeUndefined();
    expect(await tokens.list()).toEqual([]);
    expect(requireData(await tokens.find("environment")).hash).toBe(environment?.hash);
    const { admit } = await openGate(other, { environment });
    expect(await admit(text)).toMatchObject({ principal: { id: "token:environment" } });
  });

  it("stay as they were known while the database is away, and are read when it is back", async () => {
    const { tokens, other } = await openTwo();
    const kept = requireData(await tokens.create("kept", ["read"]));
    const gone = requireData(await tokens.create("gone", ["read"]));
    let isAway = false;
    const list: TokenStore["list"] = () => (isAway ? Promise.reject(new Error("away")) : other.list());
    const { principals, admit } = await openGate({ ...other, list }, { lookMs: 5 });
    expect(await admit(gone.token)).toMatchObject({ kind: "admitted" });
    requireData(await tokens.revoke("gone"));
    await principals.look();
    isAway = true;
    const late = requireData(await tokens.create("late", ["read"]));
    await principals.look();
    expect(await admit(kept.token)).toMatchObject({ kind: "admitted" });
    expect(await admit(gone.token)).toMatchObject({ kind: "refused" });
    expect(await admit(late.token)).toMatchObject({ kind: "refused" });
    isAway = false;
    // Nothing tells of a change: it is asked for because the last answer was missing.
    await vi.waitFor(async () => expect(await admit(late.token)).toMatchObject({ kind: "admitted" }), seen);
  });

  it("that expire end while the database is away", async () => {
    const { other } = await openTwo();
    const time = { nowMs: 0 };
    const clock = { now: () => time.nowMs, elapsed: () => 0 };
    const tokens = openTokens(keepInStore(other), { clock });
    const expiresAt = "1970-01-01T00:00:01.000Z";
    const { token } = requireData(await tokens.create("bot", ["read"], { expiresAt }));
    const principals = await watchTokenTable(other, silentLog, { clock, follow: NOTHING });
    onTestFinished(() => principals.close());
    const digest = Buffer.from((await tokens.list())[0]!.hash, "hex");
    expect(principals.find(digest)).toMatchObject({ kind: "good" });
    time.nowMs = 1_000;
    expect(principals.find(digest)).toEqual({ kind: "expired", expiresAt });
    expect(token).not.toBe("");
  });

  it("that somebody has damaged let nobody in, and all others come in", async () => {
    const { tokens, other } = await openTwo();
    const [bad, good] = [
      requireData(await tokens.create("bad", ["read"], { tools: ["a__*"] })),
      requireData(await tokens.create("good", ["read"])),
    ];
    await other.change((known) => ({
      tokens: known.map((row) => (row.name === "bad" ? { ...row, entry: { ...row.entry, tools: [] } } : row)),
      outcome: undefined,
    }));
    const { admit } = await openGate(other);
    expect(await admit(bad.token)).toMatchObject({ kind: "refused" });
    expect(await admit(good.token)).toMatchObject({ kind: "admitted" });
    await expect(tokens.list()).rejects.toMatchObject({ code: "STORE_DAMAGED" });
  });

  it("changed by two processes at once lose nothing of each other", async () => {
    const { home, tokens } = await openTwo();
    for (const name of ["old-a", "old-b"]) await tokens.create(name, ["read"]);
    const at = (file: string): string => JSON.stringify(new URL(file, import.meta.url).href);
    const script = (id: string): string => `
      import { openSqliteStore } from ${at("../../store/sqlite/sqlite-store.ts")};
      import { keepInStore } from ${at("token-keeper.ts")};
      import { openTokens } from ${at("tokens.ts")};
      const store = await openSqliteStore({ home: ${JSON.stringify(home)}, busyLimitMs: 60_000 });
      const tokens = openTokens(keepInStore(store.tokens));
      for (let i = 0; i < 10; i++) await tokens.create("${id}" + i, ["read"]);
      await tokens.revoke("old-${id}");
      await store.close();`;
    const run = promisify(execFile);
    await Promise.all(
      ["a", "b"].map((id) => run(process.execPath, ["--input-type=module", "-e", script(id)])),
    );
    const names = (await tokens.list()).map(({ name }) => name);
    expect(names).toEqual(["a", "b"].flatMap((id) => Array.from({ length: 10 }, (_, i) => id + i)));
  });
});
