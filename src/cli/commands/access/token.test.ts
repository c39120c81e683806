import { chmodSync, readFileSync, statSync } from "node:fs";
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
      { name: "laptop", scopes: ["read", "call"], created_at: expect.any(String) },
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
