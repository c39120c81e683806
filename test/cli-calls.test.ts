/** `repertoire calls`, `audit verify` and `audit export`, as a person and a script use them. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Store } from "../src/core/store.ts";
import { openSqliteStore } from "../src/store/sqlite/sqlite-store.ts";
import { callOf } from "../src/store/testsuite/calls.ts";
import { BIN, environmentOf, runCli } from "./fixtures/gateway-process.ts";
import { eventually, temporaryFolder } from "./fixtures/temporary.ts";

const RUN = "01890000-0000-7000-8000-0000deadbeef";

async function openHome(): Promise<{ folder: string; store: Store }> {
  const folder = temporaryFolder();
  const store = await openSqliteStore({ home: join(folder, "home") });
  onTestFinished(() => store.close());
  return { folder, store };
}

describe("repertoire calls", () => {
  it("shows who called what, newest first, by tool, caller and time", async () => {
    const { folder, store } = await openHome();
    const now = Date.now();
    await store.calls.append([
      callOf({ at: now - 7_200_000, tool: "files__read", principal: "token:ci", profile: "triage" }),
      callOf({ at: now, tool: "mail__send\u001b[2J", effect: "write", decision: "refuse", rule: "rules[2]" }),
      callOf({
        at: now,
        tool: "mail__list",
        runId: RUN,
        elapsedMs: 1_234,
        bytes: 5_000,
        outcome: "tool_error",
      }),
    ]);
    const { stdout, status } = runCli(["calls"], { folder });
    expect(status).toBe(0);
    const lines = stdout.split("\n");
    expect(lines[0]).toMatch(/^WHEN +WHO +CLIENT +TOOL +EFFECT +DECISION +OUTCOME +TOOK +BYTES +RUN$/);
    expect(lines[1]).toMatch(
      /^just now +local +test 1 +mail__list +read +allow: default +tool_error +1\.2 s +5000 +deadbeef$/,
    );
    expect(lines[2]).toMatch(/ mail__send\\u\{1b\}\[2J +write +refuse: rules\[2\] /);
    expect(lines[3]).toMatch(/^2 h ago +token:ci \(triage\) /);
    const tools = (...args: string[]): string[] => {
      const answer = JSON.parse(runCli(["calls", "--json", ...args], { folder }).stdout) as {
        calls: { tool: string }[];
      };
      return answer.calls.map(({ tool }) => tool);
    };
    expect(tools("--tool", "files__*")).toEqual(["files__read"]);
    expect(tools("--who", "profile:triage")).toEqual(["files__read"]);
    expect(tools("--since", "1h", "--limit", "1")).toEqual(["mail__list"]);
    expect(runCli(["calls", "--tool", "none"], { folder }).stderr).toContain("no such calls");
    expect(runCli(["calls", "--limit", "0"], { folder }).status).toBe(2);
  });

  it("follows calls as JSON lines, oldest first, until it is interrupted", async () => {
    const { folder, store } = await openHome();
    await store.calls.append([
      callOf({ at: Date.now(), tool: "first" }),
      callOf({ at: Date.now(), tool: "second" }),
    ]);
    const args = ["calls", "--follow", "--since", "1h", "--json"];
    const child = spawn(process.execPath, [BIN, ...args], { cwd: folder, env: environmentOf(folder) });
    onTestFinished(() => void child.kill("SIGKILL"));
    let stdout = "";
    child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
    const linesOf = (count: number) => {
      const lines = stdout.split("\n").slice(0, -1);
      return lines.length < count
        ? undefined
        : lines.map((line) => (JSON.parse(line) as { tool: string }).tool);
    };
    expect(await eventually("two calls", () => linesOf(2))).toEqual(["first", "second"]);
    await store.calls.append([callOf({ at: Date.now(), tool: "third" })]);
    expect(await eventually("three calls", () => linesOf(3))).toEqual(["first", "second", "third"]);
    child.kill("SIGINT");
    expect(await ended).toBe(130);
    expect(runCli([...args, "--jq", "."], { folder }).status).toBe(2);
  });
});

/** Another program's check, from what the help of `audit export` says. */
function verifyLines(lines: readonly string[]): number | undefined {
  const canonical = (value: unknown): string => {
    if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
    if (typeof value !== "object" || value === null) return JSON.stringify(value);
    const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(",")}}`;
  };
  let previous: unknown;
  for (const line of lines) {
    const { previous_hash, hash, details, ...rest } = JSON.parse(line) as Record<string, unknown>;
    const text = `${String(previous_hash)}${canonical({ ...rest, details: canonical(details) })}`;
    const isFirst = previous === undefined;
    if (!isFirst && previous_hash !== previous) return Number(rest["seq"]);
    if (createHash("sha256").update(text).digest("hex") !== hash) return Number(rest["seq"]);
    previous = hash;
  }
  return undefined;
}

describe("T159: repertoire audit", () => {
  const entry = (subject: string) => ({
    actor: "token:ci",
    action: "call.refused",
    subject,
    details: { rule: "rules[0]", b: [1, { ä: null }] },
  });

  it("verifies the chain, and names the entry that was changed", async () => {
    const { folder, store } = await openHome();
    for (const subject of ["a", "b", "c"]) await store.audit.append(entry(subject));
    expect(runCli(["audit", "verify"], { folder })).toMatchObject({ status: 0, stdout: "" });
    const whole = JSON.parse(runCli(["audit", "verify", "--json"], { folder }).stdout) as unknown;
    expect(whole).toEqual({
      whole: true,
      entries: 3,
      hash: (await store.audit.newest({ limit: 1 }))[0]!.hash,
    });
    const raw = new DatabaseSync(join(folder, "home", "repertoire.db"));
    raw.exec("update audit set actor = 'token:other' where seq = 2");
    raw.close();
    const broken = runCli(["audit", "verify"], { folder });
    expect(broken).toMatchObject({ status: 1 });
    expect(broken.stderr).toContain("broken at entry 2");
    expect(JSON.parse(runCli(["audit", "verify", "--json"], { folder }).stdout)).toEqual({
      whole: false,
      broken_at: 2,
    });
  });

  it("exports lines that another program can verify, from a time on", async () => {
    const { folder, store } = await openHome();
    for (const subject of ["a", "b\u001b", "c"]) await store.audit.append(entry(subject));
    const { stdout, status } = runCli(["audit", "export"], { folder });
    const lines = stdout.trimEnd().split("\n");
    expect(status).toBe(0);
    expect(lines).toHaveLength(3);
    expect(verifyLines(lines)).toBeUndefined();
    expect(verifyLines(lines.map((line) => line.replace('"c"', '"x"')))).toBe(3);
    expect(verifyLines([lines[0]!, lines[2]!])).toBe(3);
    expect(runCli(["audit", "export", "--since", "1h"], { folder }).stdout).toBe(stdout);
    expect(runCli(["audit", "export", "--since", "2999-01-01"], { folder }).stdout).toBe("");
  });
});
