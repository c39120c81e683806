import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { RepertoireError } from "../core/errors.ts";
import { loadConfig, type LoadResult } from "./load.ts";
import type { ConfigProblem } from "./problem.ts";
import { createTempProject, textOf } from "./temp-project.testkit.ts";
import { isTrusted, revoke, trust, trustFileOf } from "./trust.ts";

const SHA = "a".repeat(64);

describe("trust", () => {
  test("holds for a path and a hash, and for nothing else", () => {
    const { home, write } = createTempProject();
    const path = write("project/repertoire.json", {});
    const other = write("project/other.json", {});
    expect(isTrusted(home, path, SHA)).toBe(false);
    trust(home, path, SHA);
    expect(isTrusted(home, path, SHA)).toBe(true);
    expect(isTrusted(home, path, "b".repeat(64))).toBe(false);
    expect(isTrusted(home, other, SHA)).toBe(false);
  });

  test("of new bytes replaces that of the old", () => {
    const { home, write } = createTempProject();
    const path = write("project/repertoire.json", {});
    trust(home, path, SHA);
    trust(home, path, "b".repeat(64), () => 0);
    expect(isTrusted(home, path, SHA)).toBe(false);
    expect(JSON.parse(readFileSync(trustFileOf(home), "utf8"))).toEqual({
      trusted: [{ path, sha256: "b".repeat(64), trustedAt: "1970-01-01T00:00:00.000Z" }],
    });
  });

  test("is of the real path", () => {
    const { home, cwd, write } = createTempProject();
    const path = write("project/repertoire.json", {});
    symlinkSync(path, join(cwd, "link.json"));
    trust(home, join(cwd, "link.json"), SHA);
    expect(isTrusted(home, path, SHA)).toBe(true);
  });

  test("can be withdrawn, also when the file is gone", () => {
    const { home, cwd, write } = createTempProject();
    const kept = write("project/kept.json", {});
    trust(home, kept, SHA);
    trust(home, join(cwd, "gone.json"), SHA);
    expect(revoke(home, join(cwd, "gone.json"))).toBe(true);
    expect(revoke(home, join(cwd, "gone.json"))).toBe(false);
    expect(isTrusted(home, kept, SHA)).toBe(true);
  });

  test("is readable by its owner only, and leaves no temporary file", () => {
    const { home, write } = createTempProject();
    trust(home, write("project/a.json", {}), SHA);
    trust(home, write("project/b.json", {}), SHA);
    expect(statSync(home).mode & 0o777).toBe(0o700);
    expect(statSync(trustFileOf(home)).mode & 0o777).toBe(0o600);
    expect(readdirSync(home)).toEqual(["trusted.json"]);
  });

  test.each([
    "",
    "{",
    "[]",
    "null",
    '{"trusted": 1}',
    '{"trusted": [1]}',
    '{"trusted": [{"path": "x"}]}',
    "[".repeat(1e5),
  ])("in a damaged list (%.20s) counts as empty, with a warning", (content) => {
    const { home, write } = createTempProject();
    const path = write("project/repertoire.json", {});
    write("home/trusted.json", content);
    const warnings: ConfigProblem[] = [];
    expect(isTrusted(home, path, SHA, (warning) => warnings.push(warning))).toBe(false);
    expect(textOf(warnings)).toContain("the list of trusted files is damaged; it counts as empty");
    trust(home, path, SHA);
    expect(isTrusted(home, path, SHA)).toBe(true);
  });

  test("list that is a folder counts as empty, and writing it says so", () => {
    const { home, write } = createTempProject();
    const path = write("project/repertoire.json", {});
    mkdirSync(trustFileOf(home), { recursive: true });
    expect(isTrusted(home, path, SHA)).toBe(false);
    expect(() => trust(home, path, SHA)).toThrow(RepertoireError);
    expect(readdirSync(home)).toEqual(["trusted.json"]);
  });

  test("needs a home that can be written", () => {
    const { write } = createTempProject();
    const file = write("project/not-a-folder", "");
    expect(() => trust(file, file, SHA)).toThrow(/Cannot write/);
  });
});

describe("T139: a project file", () => {
  const content = {
    mcpServers: { files: { command: "x" }, web: { url: "https://h" } },
    profiles: { p: { servers: ["files"] } },
    exposure: "lean",
    scope: { org: "victim" },
    limits: { callTimeoutMs: 1 },
    sandbox: { memoryMb: 1024 },
    workflows: { allowShell: true, allowPrivateHttp: true, fileRoots: ["/"] },
    log: { level: "silent", file: "/root/.bashrc" },
  };

  function trustedFlags(result: LoadResult): Record<string, boolean> {
    return result.ok ? Object.fromEntries(result.config.servers.map((s) => [s.id, s.trusted])) : {};
  }

  test("lists its servers without trusting them, and those of the environment as trusted", () => {
    const project = createTempProject();
    project.write("project/repertoire.json", content);
    const result = loadConfig({ ...project.options, env: { OWN_MCP_URL: "https://own.example" } });
    expect(trustedFlags(result)).toEqual({ files: false, own: true, web: false });
  });

  test("changes no setting that could do harm before it is trusted, and says which", () => {
    const project = createTempProject();
    project.write("project/repertoire.json", content);
    const result = loadConfig(project.options);
    expect(result).toMatchObject({
      config: {
        exposure: "auto",
        profiles: {},
        scope: { org: "local", project: "default" },
        limits: { callTimeoutMs: 60_000 },
        sandbox: { memoryMb: 64 },
        workflows: { allowShell: false, allowPrivateHttp: false, fileRoots: [] },
        log: { level: "info" },
      },
    });
    const warnings = result.ok ? textOf(result.warnings) : "";
    expect(warnings).toContain(
      "not trusted, so its servers are not started: files, web; review it, then run `repertoire trust`",
    );
    for (const key of ["exposure", "profiles", "scope", "limits", "sandbox", "workflows", "log"]) {
      expect(warnings).toContain(`${key}: has no effect until this project file is trusted`);
    }
  });

  test("counts in full once it is trusted, until it changes by one byte", () => {
    const project = createTempProject();
    const path = project.write("project/repertoire.json", content);
    const first = loadConfig(project.options);
    trust(project.home, path, (first.ok && first.config.origin.sha256) || "");
    const second = loadConfig(project.options);
    expect(second).toMatchObject({ ok: true, warnings: [], config: { workflows: { allowShell: true } } });
    expect(trustedFlags(second)).toEqual({ files: true, web: true });
    writeFileSync(path, ` ${readFileSync(path, "utf8")}`);
    expect(trustedFlags(loadConfig(project.options))).toEqual({ files: false, web: false });
  });

  test("can be read as if it were trusted", () => {
    const project = createTempProject();
    project.write("project/repertoire.json", content);
    const result = loadConfig({ ...project.options, assumeTrusted: true });
    expect(trustedFlags(result)).toEqual({ files: true, web: true });
    expect(isTrusted(project.home, join(project.cwd, "repertoire.json"), SHA)).toBe(false);
  });

  test("that is given with --config, or is the user's own, needs no trust", () => {
    const project = createTempProject();
    const configPath = project.write("project/repertoire.json", content);
    expect(trustedFlags(loadConfig({ ...project.options, configPath }))).toEqual({ files: true, web: true });
    const other = createTempProject();
    other.write("user/.config/repertoire/repertoire.json", content);
    expect(trustedFlags(loadConfig(other.options))).toEqual({ files: true, web: true });
  });

  test("is not trusted on the word of a damaged list", () => {
    const project = createTempProject();
    project.write("project/repertoire.json", content);
    project.write("home/trusted.json", "{");
    const result = loadConfig(project.options);
    expect(trustedFlags(result)).toEqual({ files: false, web: false });
    expect(result.ok && textOf(result.warnings)).toContain("the list of trusted files is damaged");
  });

  test.skipIf(process.getuid?.() === 0)("is not trusted on the word of a list that cannot be read", () => {
    const project = createTempProject();
    const path = project.write("project/repertoire.json", content);
    trust(project.home, path, SHA);
    chmodSync(trustFileOf(project.home), 0);
    expect(isTrusted(project.home, path, SHA)).toBe(false);
  });
});
