/** Completions in real shells; those that are not installed are skipped. No server is running, and none is started. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCliHere } from "./fixtures/cli-in-process.ts";
import { BIN, environmentOf } from "./fixtures/gateway-process.ts";

let folder: string;
let runId: string;
let draft: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "repertoire-test-"));
  const server = join(import.meta.dirname, "fixtures/shelf-server.mjs");
  const starts = join(folder, "starts");
  // Each start leaves a mark, so that a start for a completion would be seen.
  const command = [
    "-e",
    `require("fs").appendFileSync(${JSON.stringify(starts)}, "x"); import(${JSON.stringify(server)})`,
  ];
  const mcpServers = {
    shelf: { command: process.execPath, args: command },
    other: { command: "x", enabled: false },
  };
  writeFileSync(join(folder, "servers.json"), JSON.stringify({ mcpServers }));
  writeFileSync(join(folder, "a file.ts"), "return 1;");
  const cli = (...args: string[]) => runCliHere([...args, "--config", "servers.json"], { folder });
  await cli("tools", "shelf");
  const first = JSON.parse((await cli("run", "a file.ts", "--json")).stdout) as {
    run_id: string;
    draft: string;
  };
  expect((await cli("save", first.draft, "math:one", "--description", "One.")).status).toBe(0);
  writeFileSync(join(folder, "b.ts"), "return 2;");
  const second = JSON.parse((await cli("run", "b.ts", "--json")).stdout) as { run_id: string; draft: string };
  ({ run_id: runId, draft } = second);
  for (const name of ["bash", "zsh", "fish", "powershell"]) {
    const { stdout } = await runCliHere(["completions", name], { folder });
    writeFileSync(join(folder, `script.${name}`), stdout);
  }
  writeFileSync(join(folder, "repertoire"), `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`, {
    mode: 0o755,
  });
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function shell(program: string, args: readonly string[]): string {
  const env = { ...environmentOf(folder), PATH: `${folder}:${process.env["PATH"]}`, TERM: "dumb" };
  return execFileSync(program, args, { encoding: "utf8", cwd: folder, env });
}

const isInstalled = (program: string) => spawnSync(program, ["-c", "exit 0"]).status === 0;
const CONFIG = ["--config", "servers.json"];

/** What is written before the cursor, as bash breaks it into words, and what is offered. */
type Case = readonly [words: string[], offered: string[]];

const commonCases = (): Case[] => [
  [["do"], ["doctor"]],
  [
    ["config", ""],
    ["path", "check", "schema"],
  ],
  [
    [...CONFIG, "call", "shelf.p"],
    ["shelf.paint", "shelf.picture"],
  ],
  [[...CONFIG, "show", runId.slice(0, -1)], [runId]],
];

const moreCases = (): Case[] => [
  [["list", "--js"], ["--json"]],
  [["--log-level", "d"], ["debug"]],
  [["completions", "f"], ["fish"]],
  [
    [...CONFIG, "disable", ""],
    ["other", "shelf"],
  ],
  [["save", draft.slice(0, 5)], [draft]],
  [["connect", "curs"], ["cursor"]],
];

describe("C7: bash", () => {
  const complete = (...words: string[]) => {
    const line = words.map((word) => `'${word}'`).join(" ");
    const program = `source script.bash; COMP_WORDS=(repertoire ${line}); COMP_CWORD=${words.length}; _repertoire; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return shell("bash", ["-c", program]).split("\n").filter(Boolean);
  };

  it("completes commands, options, servers, tools, runs, drafts and clients", () => {
    for (const [words, offered] of [...commonCases(), ...moreCases()]) {
      expect({ words, offered: complete(...words) }).toEqual({ words, offered });
    }
  });

  it("completes the parameters of a tool that were not given, and their values", () => {
    const call = (...words: string[]) => complete(...CONFIG, "call", "shelf.paint", ...words);
    expect(call("").sort()).toEqual(["coats=", "colour=", "dry=", "sizes=", "thing="]);
    expect(call("coats", "=", "2", "th")).toEqual(["thing="]);
    expect(call("colour", "=")).toEqual(["red", "green"]);
    expect(call("colour", "=", "g")).toEqual(["green"]);
    expect(call("dry", "=", "t")).toEqual(["true"]);
  });

  it("completes what was kept, behind the colon that bash breaks at", () => {
    expect(complete(...CONFIG, "history", "ma")).toEqual(["math:one"]);
    expect(complete(...CONFIG, "history", "math", ":")).toEqual(["one"]);
  });

  it("completes files where a file fits", () => {
    expect(complete("validate", "serv")).toEqual(["servers.json"]);
    expect(complete("--config", "serv")).toEqual(["servers.json"]);
    expect(complete("run", "b.")).toEqual(["b.ts"]);
    expect(complete(...CONFIG, "call", "shelf.echo", "text", "=", "@b")).toEqual(["@b.ts"]);
  });

  it("falls back to files, also where nothing is known", () => {
    expect(shell("bash", ["-c", "source script.bash; complete -p repertoire"])).toContain("-o default");
  });
});

describe.skipIf(!isInstalled("zsh"))("C7: zsh", () => {
  /** The builtins of the completion system work only at a prompt; what they are given is what matters. */
  const complete = (...words: string[]) => {
    const line = words.map((word) => `'${word}'`).join(" ");
    const stubs = `compdef() { }; compset() { }; _files() { print -l FILES; }; compadd() { while [[ $1 != -- ]]; do shift; done; shift; print -l -- "$@"; }`;
    const program = `${stubs}; source ./script.zsh; words=(repertoire ${line}); CURRENT=${words.length + 1}; _repertoire`;
    return shell("zsh", ["-f", "-c", program]).split("\n").filter(Boolean);
  };

  it("completes commands, tools, runs, parameters, values and files", () => {
    for (const [words, offered] of commonCases()) {
      expect({ words, offered: complete(...words) }).toEqual({ words, offered });
    }
    expect(complete(...CONFIG, "call", "shelf.paint", "th")).toEqual(["thing="]);
    expect(complete(...CONFIG, "call", "shelf.paint", "colour=g")).toEqual(["colour=green"]);
    expect(complete("validate", "x")).toEqual(["FILES"]);
  });
});

describe.skipIf(!isInstalled("fish"))("C7: fish", () => {
  const complete = (...words: string[]) => {
    const program = `source script.fish; complete -C 'repertoire ${words.join(" ")}'`;
    const lines = shell("fish", ["--no-config", "-c", program]).split("\n").filter(Boolean);
    return lines.map((line) => line.split("\t")[0]!);
  };

  it("completes commands, tools, runs, parameters, values and files", () => {
    for (const [words, offered] of commonCases()) {
      expect({ words, offered: complete(...words).sort() }).toEqual({ words, offered: offered.sort() });
    }
    expect(complete(...CONFIG, "call", "shelf.paint", "th")).toEqual(["thing="]);
    expect(complete(...CONFIG, "call", "shelf.paint", "colour=g")).toEqual(["colour=green"]);
    expect(complete("validate", "serv")).toEqual(["servers.json"]);
  });
});

it.skipIf(!isInstalled("pwsh"))("C7: PowerShell can read its script", () => {
  const check = `$errors = $null; $null = [System.Management.Automation.Language.Parser]::ParseFile("script.powershell", [ref]$null, [ref]$errors); $errors.Count`;
  expect(shell("pwsh", ["-NoProfile", "-c", check]).trim()).toBe("0");
});

it("C7: a completion starts no server, makes no database, and says nothing where the config has mistakes", async () => {
  expect(readFileSync(join(folder, "starts"), "utf8")).toBe("x");
  const fresh = await runCliHere(["__complete", "--", "call", ""]);
  expect(fresh).toMatchObject({ status: 0, stderr: "" });
  expect(existsSync(join(fresh.folder, "home", "repertoire.db"))).toBe(false);
  writeFileSync(join(folder, "broken.json"), "{ nope");
  const broken = await runCliHere(["__complete", "--", "--config", "broken.json", "call", ""], { folder });
  expect(broken).toMatchObject({ status: 0, stderr: "", stdout: ":files\n" });
});
