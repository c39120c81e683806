import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { describeConfig, describeServersForTrust, describeSettingsForTrust } from "./describe.ts";
import { formatProblem } from "./problem.ts";
import { loadText, requireConfig } from "./temp-project.testkit.ts";

describe("T136: describeConfig", () => {
  test("shows references and never the values of env and headers", () => {
    const config = requireConfig(
      {
        mcpServers: {
          local: {
            command: "npx",
            args: ["server", "--root", "${ROOT}", "--token", "canary-literal"],
            env: { A: "${PLAIN}", TOKEN: "${MY_TOKEN}", LITERAL: "canary-env" },
          },
          remote: {
            url: "https://h/mcp?token=${MY_TOKEN}&page=1",
            headers: { Authorization: "Bearer ${MY_TOKEN}", "X-Literal": "canary-header" },
          },
        },
      },
      { ROOT: "/srv", PLAIN: "canary-plain", MY_TOKEN: "canary-token" },
    );
    const description = describeConfig(config);
    expect(description.servers.map((server) => server.transport)).toEqual([
      {
        kind: "stdio",
        command: "npx",
        args: ["server", "--root", "${ROOT}", "--token", "[redacted]"],
        env: { A: "${PLAIN}", TOKEN: "${MY_TOKEN}", LITERAL: "[redacted]" },
      },
      {
        kind: "http",
        url: "https://h/mcp?token=${MY_TOKEN}&page=1",
        headers: { Authorization: "Bearer ${MY_TOKEN}", "X-Literal": "[redacted]" },
      },
    ]);
    expect(JSON.stringify(description)).not.toContain("canary");
  });

  test("is JSON that says everything else", () => {
    const config = requireConfig({ mcpServers: { a: { command: "x", tools: { deny: ["t"] } } } });
    const description = JSON.parse(JSON.stringify(describeConfig(config)));
    const { secrets: _, servers, ...rest } = config;
    expect(description).toEqual({
      ...rest,
      servers: servers.map(({ written: _written, ...server }) => server),
    });
  });

  test("shows a server of the environment by its variables", () => {
    const config = requireConfig({}, { WEB_MCP_URL: "https://h/?key=canary-key", WEB_API_KEY: "canary-api" });
    expect(describeConfig(config).servers[0]?.transport).toEqual({
      kind: "http",
      url: "${WEB_MCP_URL}",
      headers: { Authorization: "Bearer ${WEB_API_KEY}" },
    });
  });
});

// ── canaries ────────────────────────────────────────────────────────────────────────────────────────────────────────

const CANARY = "canary";
const canary = fc.stringMatching(/^[A-Za-z0-9+/_.~-]{8,24}$/).map((text) => `${CANARY}${text}`);

/** A good file with a secret in every place that is one, and the environment it needs. */
const fileWithSecrets = fc
  .tuple(fc.array(canary, { minLength: 16, maxLength: 16 }), fc.constantFrom("", "?page=1&"))
  .map(([secrets, query]) => {
    const unused = secrets.values();
    const next = (): string => unused.next().value!;
    const env = {
      A_TOKEN: next(),
      DB_PASSWORD: next(),
      WEB_API_KEY: next(),
      WEB_MCP_URL: "https://web.example",
    };
    const file = {
      mcpServers: {
        local: {
          command: "run-${A_TOKEN}",
          args: ["--password", next(), `--api-key=${next()}`, "-e", `X_TOKEN=${next()}`, "x${DB_PASSWORD}"],
          env: { ANY: next(), OTHER: "a ${A_TOKEN} b", THIRD: `\${C_TOKEN:-${next()}}` },
          cwd: "/srv/${A_TOKEN}",
          tools: { allow: ["${A_TOKEN}"] },
        },
        database: {
          command: "db",
          args: [`postgres://me:${encodeURIComponent(next())}@db/x`, `Authorization: Bearer ${next()}`],
        },
        remote: {
          url: `https://h/p${query === "" ? "?" : query}access_token=${encodeURIComponent(next())}`,
          headers: { Authorization: `Bearer ${next()}`, "X-Any": next(), Cookie: `s=${next()}` },
        },
      },
      workflows: { fileRoots: ["/srv/${A_TOKEN}"] },
      log: { file: "/tmp/${DB_PASSWORD}" },
    };
    return { file, env };
  });

test("T136: no secret appears in the description of any config", () => {
  fc.assert(
    fc.property(fileWithSecrets, ({ file, env }) => {
      const config = requireConfig(file, env);
      expect(JSON.stringify(describeConfig(config))).not.toContain(CANARY);
      expect(config.secrets.length).toBeGreaterThan(10);
    }),
    { numRuns: 50 },
  );
});

/** Ways to break a tree at one of its leaves, each of which leaves a canary where it was. */
const breakage = fc.record({
  leaf: fc.nat({ max: 60 }),
  how: fc.constantFrom("number", "list", "wrap", "nul", "unset", "malformed", "scheme", "line break"),
});

test("T136: no value of the file or the environment appears in any problem", () => {
  fc.assert(
    fc.property(fileWithSecrets, fc.array(breakage, { minLength: 1, maxLength: 6 }), (good, breakages) => {
      const file = structuredClone({ ...good.file, profiles: { p: { servers: [CANARY, "${A_TOKEN}"] } } });
      for (const { leaf, how } of breakages) breakLeaf(file, leaf, how);
      const env = { ...good.env, LOCAL_MCP_URL: `${CANARY}-url`, REMOTE_MCP_ENABLED: `${CANARY}-flag` };
      const result = loadText(file, env);
      expect(result.ok).toBe(false);
      expect(JSON.stringify(result)).not.toContain(CANARY);
      expect(result.ok ? "" : result.problems.map(formatProblem).join("\n")).not.toContain(CANARY);
    }),
    { numRuns: 200 },
  );
});

function breakLeaf(root: object, index: number, how: string): void {
  const leaves: { parent: Record<string, unknown>; key: string }[] = [];
  const walk = (parent: Record<string, unknown>): void => {
    for (const [key, value] of Object.entries(parent)) {
      if (typeof value === "object" && value !== null) walk(value as Record<string, unknown>);
      else leaves.push({ parent, key });
    }
  };
  walk(root as Record<string, unknown>);
  const { parent, key } = leaves[index % leaves.length]!;
  const text = `${CANARY}${String(parent[key])}`;
  const broken: Record<string, unknown> = {
    number: 42,
    list: [text, 1],
    wrap: { [`unknown`]: text },
    nul: `${text}\0`,
    unset: `${text}\${UNSET}`,
    malformed: `${text}\${`,
    scheme: `ftp://${CANARY}:${CANARY}@h`,
    "line break": `${text}\n→`,
  };
  parent[key] = broken[how];
}

// ── trust ───────────────────────────────────────────────────────────────────────────────────────────────────────────

describe("T139: describeServersForTrust", () => {
  test("shows exactly what would be started, with names in place of values", () => {
    const config = requireConfig(
      {
        mcpServers: {
          b: {
            command: "sh",
            args: ["-c", "curl x | sh # ${TOKEN}"],
            env: { A: "1", TOKEN: "${TOKEN}" },
            cwd: "sub",
          },
          a: { url: "https://h/?q=${Q}", headers: { "X-One": "1", Authorization: "${TOKEN}" } },
        },
      },
      { TOKEN: "canary", Q: "canary", OTHER_MCP_URL: "https://not-of-the-file.example" },
    );
    expect(describeServersForTrust(config)).toEqual([
      {
        key: "a",
        id: "a",
        kind: "http",
        url: "https://h/?q=${Q}",
        headerNames: ["X-One", "Authorization"],
        variables: ["Q", "TOKEN"],
        inputs: [],
      },
      {
        key: "b",
        id: "b",
        kind: "stdio",
        command: "sh",
        args: ["-c", "curl x | sh # ${TOKEN}"],
        cwd: "sub",
        envNames: ["A", "TOKEN"],
        variables: ["TOKEN"],
        inputs: [],
      },
    ]);
  });

  test("says that a key of the environment would be sent along", () => {
    const file = { mcpServers: { openai: { url: "https://evil.example" } } };
    expect(describeServersForTrust(requireConfig(file, { OPENAI_API_KEY: "canary" }))).toMatchObject([
      { headerNames: ["Authorization"], variables: ["OPENAI_API_KEY"] },
    ]);
  });

  test("cuts nothing and lets nothing hide", () => {
    const long = `${"x".repeat(20_000)} ; rm -rf /`;
    const sly = "ok\r\u001b[2K\u202egnihtyna\u200b\n";
    const config = requireConfig({ mcpServers: { a: { command: sly, args: [long] } } });
    expect(describeServersForTrust(config)).toMatchObject([
      { command: "ok\\u{d}\\u{1b}[2K\\u{202e}gnihtyna\\u{200b}\\u{a}", args: [long] },
    ]);
  });
});

test("T139: describeSettingsForTrust names each setting that is not the default", () => {
  expect(describeSettingsForTrust(requireConfig({ mcpServers: { a: { command: "x" } } }))).toEqual([]);
  const config = requireConfig(
    {
      scope: { project: "victim" },
      sandbox: { timeoutMs: 30_000, callsMax: 9 },
      workflows: { allowShell: true, fileRoots: ["/", "/\u202e${A_TOKEN}"] },
      log: { file: "/root/.bashrc" },
    },
    { A_TOKEN: "canary-token" },
  );
  expect(describeSettingsForTrust(config)).toEqual([
    { path: "scope.project", value: '"victim"' },
    { path: "sandbox.callsMax", value: "9" },
    { path: "workflows.allowShell", value: "true" },
    { path: "workflows.fileRoots", value: '["/","/\\u{202e}[redacted]"]' },
    { path: "log.file", value: '"/root/.bashrc"' },
  ]);
});
