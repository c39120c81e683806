import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/fixtures/temporary.ts";
import { openSecretStore } from "../../app/app.ts";
import { loadConfig } from "../../config/load.ts";
import { RepertoireError, type RepertoireErrorCode } from "../../core/errors.ts";
import type { Check, ServerReport } from "./check.ts";
import { checkConfig, checkPrograms } from "./config-checks.ts";
import { cureFor } from "./cures.ts";
import { storeCureOf, checkSecrets } from "./machine-checks.ts";
import { chooseServers } from "./server-checks.ts";
import { renderChecks } from "./doctor.ts";
import { openSession } from "../session.ts";
import type { Keyring } from "../../secrets/secrets.ts";

const CANARY = "c4nary".repeat(4);

function configWith(mcpServers: object, more: object = {}) {
  const folder = temporaryFolder();
  const config = join(folder, "mine.json");
  writeFileSync(config, JSON.stringify({ mcpServers, ...more }));
  const options = { config, home: join(folder, "home") };
  return { config, options, load: () => loadConfig({ configPath: config, home: options.home }) };
}

function serversOf(mcpServers: object) {
  const { options, load } = configWith(mcpServers);
  const loaded = load();
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const place = { options: {}, limits: { connectTimeoutMs: 30_000 } };
  const server = { ...loaded.config.servers[0]!, file: "/c/mine.json" };
  return { servers: loaded.config.servers, server, place, options };
}

describe("a server that is not to be had", () => {
  const stdio = { command: "run", args: ["--token", CANARY] };
  const remote = { url: "https://s.example/mcp" };

  it.each([
    ["not_found", stdio, "repertoire disable a", "Install run"],
    ["not_executable", stdio, "repertoire disable a", "executable"],
    ["exited", stdio, "repertoire disable a", "run --token '[redacted]'"],
    ["refused", stdio, "repertoire disable a", "run --token"],
    ["list_failed", stdio, "repertoire disable a", "run --token"],
    ["bad_folder", stdio, "${EDITOR:-vi} /c/mine.json", '"cwd" of a in /c/mine.json'],
    ["connect_timeout", stdio, "${EDITOR:-vi} /c/mine.json", '"startTimeoutMs" of a, now 60000'],
    ["connect_timeout", remote, "${EDITOR:-vi} /c/mine.json", '"connectTimeoutMs": …}, now 30000'],
    ["connect_timeout", { command: "npx", args: ["-y", "pkg"] }, "npx -y pkg", "downloading"],
    [
      "connect_timeout",
      { command: "npx", args: ["--api-key", CANARY] },
      "${EDITOR:-vi} /c/mine.json",
      "npx --api-key",
    ],
    ["auth_required", remote, "repertoire login a", ""],
    [
      "auth_required",
      { ...remote, headers: { Authorization: CANARY } },
      "${EDITOR:-vi} /c/mine.json",
      "header",
    ],
    ["unreachable", remote, "${EDITOR:-vi} /c/mine.json", '"url"'],
    ["name_not_found", remote, "${EDITOR:-vi} /c/mine.json", '"url"'],
    ["tls", remote, "${EDITOR:-vi} /c/mine.json", "NODE_EXTRA_CA_CERTS"],
    ["http_status", remote, "${EDITOR:-vi} /c/mine.json", "MCP server"],
    ["busy", remote, "repertoire doctor --servers a", "again"],
    ["unknown_version", remote, "npm install --global repertoire@latest", "update"],
  ] as const)("for %s is cured by a command, without secrets", (cause, entry, cure, advice) => {
    const { server, place } = serversOf({ a: entry });
    const cured = cureFor(cause, server, place);
    expect(cured.cure).toBe(cure);
    expect(cured.advice ?? "").toContain(advice);
    expect(JSON.stringify(cured)).not.toContain(CANARY);
  });

  it("and cannot start is red before anything is started", () => {
    const { options, load } = configWith({
      gone: { command: "no-such-program-here" },
      off: { command: "no-such-program-here", enabled: false },
      fine: { command: "sh" },
      lacking: { command: "sh", args: ["${input:key}"] },
    });
    expect(checkPrograms(load(), options)).toMatchObject([
      {
        state: "failed",
        cure: expect.stringContaining("disable gone"),
        server: { id: "gone", cause: "not_found" },
      },
      { state: "warning", cure: expect.stringContaining("input set key"), server: { id: "lacking" } },
    ]);
  });

  it("is found by key or id, and a name that is none has its nearest", () => {
    const { servers } = serversOf({ "Git Hub": { command: "sh" }, files: { command: "sh" } });
    expect(chooseServers(servers, [], {}).ids).toEqual(["files", "git_hub"]);
    const { ids, unknown } = chooseServers(servers, ["Git Hub", "fils"], {});
    expect(ids).toEqual(["git_hub"]);
    expect(unknown).toMatchObject([
      {
        state: "failed",
        message: expect.stringContaining("files?"),
        cure: "repertoire doctor --servers files",
      },
    ]);
  });
});

describe("the config", () => {
  it("names the variable that is not set, and the input that nobody gave", () => {
    const { options, load } = configWith(
      { a: { command: "sh", args: ["${DOCTOR_TEST_UNSET}"] } },
      { log: { file: "${input:place}" }, nope: 1 },
    );
    const cures = checkConfig(load(), options).map(({ state, cure }) => ({ state, cure }));
    expect(cures).toContainEqual({ state: "failed", cure: "export DOCTOR_TEST_UNSET=VALUE" });
    expect(cures).toContainEqual({ state: "failed", cure: expect.stringContaining("input set place") });
    expect(cures).toContainEqual({ state: "failed", cure: expect.stringContaining("${EDITOR:-vi} ") });
  });

  it.skipIf(process.platform === "win32")("with secrets in plain text is for its owner alone", () => {
    const { config, options, load } = configWith({
      a: { command: "sh", env: { API_TOKEN: CANARY, OTHER_TOKEN: "${HOME}", PATH: "/bin" } },
      b: { url: "https://s.example/mcp", headers: { Authorization: `Bearer ${CANARY}` } },
    });
    const readers = () => checkConfig(load(), options).filter(({ state }) => state === "warning");
    chmodSync(config, 0o644);
    const [warning, ...others] = readers();
    expect(others).toEqual([]);
    expect(warning).toMatchObject({ cure: `chmod 600 ${config}` });
    expect(warning!.message).toContain("mcpServers.a.env.API_TOKEN, mcpServers.b.headers.Authorization");
    expect(JSON.stringify(warning)).not.toContain(CANARY);
    chmodSync(config, 0o600);
    expect(readers()).toEqual([]);
  });
});

it("T136: a value that was sealed with another keyring is red, and the way to give it anew is named", async () => {
  const home = temporaryFolder();
  const ringOf = (): Keyring => {
    let key: string | undefined;
    return { get: async () => key, set: async (secret) => void (key = secret) };
  };
  const store = (ring: Keyring | undefined) => openSecretStore({ home, openKeyring: async () => ring });
  expect(await checkSecrets(home, {}, store(undefined))).toEqual([]);
  const first = ringOf();
  await store(first).set("input:key", CANARY);
  await store(first).set("oauth:box:abc", CANARY);
  await store(undefined).set("input:plain", CANARY);
  const well = await checkSecrets(home, {}, store(first));
  expect(well).toEqual([
    {
      name: "secrets",
      state: "ok",
      message: "3 values stored: 2 encrypted with a key in the keyring, 1 in a file that only you can read",
    },
  ]);
  const [, ...lost] = await checkSecrets(home, {}, store(ringOf()));
  expect(lost.map(({ state, cure }) => [state, cure])).toEqual([
    ["failed", "repertoire input set key"],
    ["failed", "repertoire login box"],
  ]);
});

it("the report has a line for each server, in columns, and the rest indented below", () => {
  const up = (id: string, more: Partial<ServerReport> = {}): Check => ({
    name: "server",
    state: "ok",
    message: "",
    server: {
      id,
      era: "legacy",
      protocolVersion: "2025-11-25",
      toolCount: 1,
      tokens: 1_234,
      startMs: 5,
      latencyMs: 0.4,
      rejected: [],
      findings: [],
      ...more,
    },
  });
  const finding = { code: "hidden_text", kind: "tool", tool: "t", message: "hides", excerpt: "…" } as const;
  const lines = renderChecks([
    up("a", {
      rejected: [
        { code: "invalid_tool", kind: "tool", name: "x", reason: "bad\u001B" },
        { code: "invalid_tool", kind: "tool", name: "y", reason: "bad" },
      ],
    }),
    up("longer", { toolCount: 20, promptCount: 1, findings: Array.from({ length: 5 }, () => finding) }),
    {
      name: "server",
      state: "failed",
      message: "gone",
      cure: "cure it",
      advice: "or do",
      server: { id: "b", rejected: [], findings: [], stderr: ["last words"] },
    },
  ]);
  expect(lines.map(stripVTControlCharacters)).toEqual([
    "✓ server   a       legacy 2025-11-25  1 tool               1,234 tokens  started in 5 ms  answers in 0.4 ms",
    "           2 rejected: tool x (invalid_tool): bad\\u{1b} (and 1 more)",
    "✓ server   longer  legacy 2025-11-25  20 tools + 1 prompt  1,234 tokens  started in 5 ms  answers in 0.4 ms",
    ...Array.from({ length: 3 }, () => "           warning: tool t: hides: …"),
    "           and 2 more",
    "✗ server   b       gone  → cure it",
    "           │ last words",
    "           or do",
  ]);
});

it.skipIf(process.platform === "win32")(
  "T136: what a failing server prints of its secrets is in no tool error, no search, no view and no log",
  async () => {
    const file = join(temporaryFolder(), "log.jsonl");
    const { options } = configWith(
      {
        leaky: {
          command: "sh",
          args: ["-c", 'echo "bad key $API_KEY" >&2; exit 9'],
          env: { API_KEY: CANARY },
        },
      },
      { log: { file, level: "debug" } },
    );
    const session = await openSession({ ...options, json: true, logLevel: "debug" });
    const { app } = session;
    const context = { traceId: "t", signal: new AbortController().signal };
    const views = await app.viewServers(true);
    const called = await app.gateway.callTool("leaky__x", {}, context);
    const found = await app.gateway.callTool("browse_components", { query: "x" }, context);
    await session.close();
    const logged = readFileSync(file, "utf8");
    expect(views).toMatchObject([{ cause: "exited", stderr: ["bad key [redacted]"] }]);
    for (const seen of [called, found]) expect(JSON.stringify(seen)).toContain("[redacted]");
    expect(logged).toContain("upstream.failed");
    expect(JSON.stringify([views, called, found, logged])).not.toContain(CANARY);
  },
);

describe("the cure of a store that cannot be opened", () => {
  const PATH = "/home/ann/.repertoire/repertoire.db";
  const cureOf = (code: RepertoireErrorCode, cause?: unknown) =>
    storeCureOf(new RepertoireError(code, "x", { cause }), PATH);

  it("S18: moves aside what is no database of ours, and never one that merely cannot be written", () => {
    for (const code of ["STORE_DAMAGED", "STORE_FOREIGN"] as const) expect(cureOf(code)).toMatch(/^mv /);
    expect(cureOf("HOME_UNSAFE")).toBe(`chmod u+rwX /home/ann/.repertoire ${PATH}`);
    const readOnly = Object.assign(new Error("x"), { code: "EROFS" });
    expect(cureOf("HOME_UNSAFE", readOnly)).toBe("findmnt --target /home/ann/.repertoire");
    for (const code of ["STORE_FULL", "STORE_BUSY", "STORE_NEWER", "STORE_GONE"] as const) {
      expect(cureOf(code)).not.toMatch(/^mv /);
    }
    expect(storeCureOf(new TypeError("a bug"), PATH)).not.toMatch(/^mv /);
  });
});
