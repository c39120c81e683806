import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runCli } from "../../../../test/fixtures/gateway-process.ts";
import { temporaryFolder } from "../../../../test/fixtures/temporary.ts";

function home() {
  const folder = temporaryFolder();
  const file = join(folder, "home", "tokens.json");
  const token = (...args: string[]) => runCli(["token", ...args], { folder });
  const json = (...args: string[]): unknown => JSON.parse(token(...args, "--json").stdout);
  return { folder, file, token, json };
}

describe("repertoire token", () => {
  it("makes the default token and shows the same one again, alone on stdout", () => {
    const { token, json, file } = home();
    const first = token();
    expect(first.status).toBe(0);
    expect(first.stdout).toMatch(/^rpt_[\w-]{43}\n$/);
    expect(token().stdout).toBe(first.stdout);
    expect(json()).toEqual({
      name: "default",
      scopes: ["read", "call", "write", "admin"],
      token: first.stdout.trim(),
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("makes a token for somebody, shows it once, lists it without its text, and revokes it", () => {
    const { token, json, file } = home();
    const made = token("create", "laptop", "--scope", "call,read");
    expect(made.stdout).toMatch(/^rpt_[\w-]{43}\n$/);
    expect(made.stderr).toContain("created laptop (read, call). It is not shown again.");
    expect(json("list")).toEqual([
      { name: "laptop", scopes: ["read", "call"], created_at: expect.any(String), last_used_at: null },
    ]);
    const listed = token("list").stdout;
    expect(listed).toContain("laptop");
    expect(listed + readFileSync(file, "utf8")).not.toContain(made.stdout.trim());
    expect(json("revoke", "laptop")).toEqual({ revoked: "laptop" });
    expect(json("list")).toEqual([]);
    expect(token("list").stderr).toContain("repertoire token");
  });

  it("S13: makes a token that opens some profiles alone, and lists which", () => {
    const { token, json } = home();
    const made = token("create", "bot", "--profile", "triage", "--profile", "ops");
    expect(made.stderr).toContain("created bot (read, call; only the profiles triage, ops).");
    token("create", "all");
    expect(json("list")).toMatchObject([{ name: "bot", profiles: ["triage", "ops"] }, { name: "all" }]);
    expect(token("list").stdout).toMatch(/TOKEN +SCOPES +PROFILES[^]*triage,ops[^]*all/);
    expect(token("create", "x", "--profile", "../x").status).toBe(2);
  });

  it("makes a token for an agent, with its limits and its end, and replaces it with the same", () => {
    const { token, json } = home();
    const limits = ["--effects", "write,read", "--tools", "github__*", "--tools", "mcp__math__*"];
    const made = token("create", "bot", ...limits, "--expires", "30d");
    expect(made.stderr).toMatch(
      /created bot \(read, call; effects read, write; tools github__\*, mcp__math__\*; expires \d{4}-/,
    );
    const kept = { effects: ["read", "write"], tools: ["github__*", "mcp__math__*"] };
    const [listed] = json("list") as { expires_at: string }[];
    expect(listed).toMatchObject(kept);
    expect(json("rotate", "bot")).toMatchObject({ ...kept, expires_at: listed!.expires_at });
    const later = { ...kept, expires_at: "2999-01-31T00:00:00.000Z" };
    expect(json("rotate", "bot", "--expires", "2999-01-31")).toMatchObject(later);
    expect(token("list").stdout).toMatch(
      /EFFECTS +TOOLS +EXPIRES +LAST USED[^]*read,write +github__\*,mcp__math__\* +2999-01-31T00:00:00Z/,
    );
    expect(json("rotate", "bot", "--expires", "never")).not.toHaveProperty("expires_at");
    expect(token("list").stdout).toContain("never");
  });

  it("shows that a token has expired, and replaces it only with a new end", () => {
    const { token, json, file } = home();
    token("create", "bot");
    const { tokens } = JSON.parse(readFileSync(file, "utf8")) as { tokens: object[] };
    const expired = tokens.map((entry) => ({ ...entry, expiresAt: "2020-01-01T00:00:00.000Z" }));
    writeFileSync(file, JSON.stringify({ tokens: expired }));
    expect(json("list")).toMatchObject([{ expired: true }]);
    expect(token("list").stdout).toContain("expired 2020-01-01");
    expect(token("rotate", "bot")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("--expires 30d") as string,
    });
    expect(token("rotate", "bot", "--expires", "12h").status).toBe(0);
  });

  it("shows a token with what it can do, by each of its profiles", () => {
    const { folder, token, json } = home();
    const counter = {
      command: process.execPath,
      args: [join(import.meta.dirname, "../../../../test/fixtures/counter-server.mjs"), join(folder, "log")],
    };
    const profiles = { add: { tools: { allow: ["counter__add"] }, rename: { counter__add: "plus" } } };
    writeFileSync(join(folder, "repertoire.json"), JSON.stringify({ mcpServers: { counter }, profiles }));
    const config = ["--config", join(folder, "repertoire.json")];
    runCli(["tools", ...config], { folder });
    token("create", "bot", "--profile", "add", "--profile", "gone");
    token("create", "reader", "--scope", "read");
    expect(json("show", "bot", ...config)).toMatchObject({
      name: "bot",
      profiles: ["add", "gone"],
      last_used_at: null,
      reach: [
        { profile: "add", tools: [{ name: "plus", tool: "counter__add", server: "counter", do: "allow" }] },
        { profile: "gone", isMissing: true, tools: [] },
      ],
    });
    const { stdout } = token("show", "bot", ...config);
    expect(stdout).toMatch(/The profile add: 1 tool \(1 allow\)[^]*TOOL +EFFECT +DO +RULE[^]*plus/);
    expect(stdout).toContain("The profile gone is not in the config");
    expect(token("show", "reader", ...config).stdout).toMatch(/The whole gateway: 3 tools \(3 refuse\)/);
    expect(token("show", "bto", ...config)).toMatchObject({ status: 7, stdout: "" });
  });

  it("T159: puts every change on the audit trail, with who made it", () => {
    const { token, folder } = home();
    token();
    token();
    token("create", "ci");
    token("create", "ci");
    token("create", "dry", "--dry-run");
    token("rotate", "ci");
    token("revoke", "ci");
    const { stdout } = runCli(["audit", "--json"], { folder });
    const { entries } = JSON.parse(stdout) as { entries: Record<string, string>[] };
    expect(entries.map(({ action, subject }) => `${action} ${subject}`)).toEqual([
      "token.revoked ci",
      "token.rotated ci",
      "token.created ci",
      "token.created default",
    ]);
    for (const { actor } of entries) expect(actor).toMatch(/^local:./);
  });

  it("replaces the default token, or the one that is named", () => {
    const { token, json } = home();
    const before = token().stdout;
    const after = token("rotate").stdout;
    expect(after).not.toBe(before);
    expect(token().stdout).toBe(after);
    const made = json("create", "ci") as { token: string };
    const replaced = json("rotate", "ci") as { token: string };
    expect(replaced).toEqual({ name: "ci", scopes: ["read", "call"], token: expect.any(String) });
    expect(replaced.token).not.toBe(made.token);
  });

  it.each([
    ["a scope that is none", ["create", "x", "--scope", "read,root"], 2, "read, call, write, admin"],
    ["no scope", ["create", "x", "--scope", ","], 2, "read, call, write, admin"],
    ["a name that is none", ["create", "../x"], 2, "lower-case letters"],
    ["the name of the default token", ["create", "default"], 2, "repertoire token rotate"],
    ["a token that is not there", ["revoke", "x"], 7, "repertoire token list"],
    ["a token to replace that is not there", ["rotate", "x"], 7, "repertoire token list"],
    ["no name", ["create"], 2, "missing required argument"],
    ["an effect that is none", ["create", "x", "--effects", "red"], 2, "read, write, destroy"],
    ["no effect", ["create", "x", "--effects", ","], 2, "read, write, destroy"],
    ["patterns in one word", ["create", "x", "--tools", "a__*,b__*"], 2, "repeat --tools"],
    ["an end that is past", ["create", "x", "--expires", "2020-01-01"], 2, "30d"],
    ["an end that is none", ["create", "x", "--expires", "soon"], 2, "or never"],
  ])("refuses %s, with the next step", (_, args, status, words) => {
    const result = home().token(...args);
    expect({ status: result.status, stdout: result.stdout }).toEqual({ status, stdout: "" });
    expect(result.stderr).toContain(words);
  });

  it("says in JSON what it refuses", () => {
    const { token } = home();
    const { status, stdout } = token("revoke", "x", "--json");
    expect(status).toBe(7);
    expect(JSON.parse(stdout)).toMatchObject({ success: false, error: { code: "TOOL_NOT_FOUND" } });
  });

  it("T136: refuses a file that others can read, with the cure", () => {
    const { token, file } = home();
    token();
    chmodSync(file, 0o644);
    const { status, stdout, stderr } = token();
    expect({ status, stdout }).toEqual({ status: 6, stdout: "" });
    expect(stderr).toContain(`chmod 600 "${file}"`);
  });

  it("has help with examples", () => {
    const { stdout } = runCli(["token", "--help"]);
    expect(stdout).toContain("$ repertoire token create laptop --scope read,call");
  });
});
