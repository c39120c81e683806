import { describe, expect, test } from "vitest";
import { loadText, problemsOf, requireConfig, textOf } from "../temp-project.testkit.ts";

const remote = { mcpServers: { "Web Search": { url: "https://file.example", headers: { "X-Team": "a" } } } };
const local = { mcpServers: { files: { command: "x" } } };

describe("<NAME>_MCP_URL", () => {
  test("adds a remote server that is trusted", () => {
    const { servers } = requireConfig({}, { WEB_SEARCH_MCP_URL: "https://env.example/mcp" });
    expect(servers).toEqual([
      {
        id: "web_search",
        key: "web_search",
        declaredIn: "environment",
        enabled: true,
        trusted: true,
        timeoutMs: 60_000,
        trust: "allow",
        isPrivate: false,
        tools: {},
        fromEnvironment: ["WEB_SEARCH_MCP_URL"],
        inputs: [],
        missingInputs: [],
        problems: [],
        transport: { kind: "http", url: "https://env.example/mcp", headers: {} },
        written: { kind: "http", url: "${WEB_SEARCH_MCP_URL}", headers: {} },
      },
    ]);
  });

  test("replaces the url of a server in the file and keeps the rest", () => {
    const { servers } = requireConfig(remote, { WEB_SEARCH_MCP_URL: "https://env.example" });
    expect(servers).toMatchObject([
      {
        key: "Web Search",
        declaredIn: "file",
        transport: { url: "https://env.example", headers: { "X-Team": "a" } },
        written: { url: "${WEB_SEARCH_MCP_URL}" },
      },
    ]);
  });

  test("keeps a server of the file on SSE", () => {
    const file = { mcpServers: { old: { type: "sse", url: "https://file.example" } } };
    const { servers } = requireConfig(file, { OLD_MCP_URL: "https://env.example" });
    expect(servers[0]?.transport).toMatchObject({ kind: "sse", url: "https://env.example" });
  });

  test("is a problem for a server with a command, and names both", () => {
    expect(problemsOf(local, { FILES_MCP_URL: "https://env.example" })).toEqual([
      'environment  FILES_MCP_URL: gives a url to mcpServers["files"], which has a "command"; unset FILES_MCP_URL, or rename the server in the file',
    ]);
  });

  test.each([
    ["nonsense", "is not a URL"],
    ["ftp://h", "must begin with http:// or https://"],
    ["https://user:pass@h", "must not contain a user name or password"],
  ])("%s is a problem", (value, message) => {
    expect(problemsOf({}, { A_MCP_URL: value })[0]).toContain(`environment  A_MCP_URL: ${message}`);
  });

  test("that names no possible server has no effect, and says so", () => {
    for (const variable of ["MCP_MCP_URL", "__MCP_URL"]) {
      const result = loadText({}, { [variable]: "https://h" });
      expect(result).toMatchObject({ ok: true, config: { servers: [] } });
      expect(result.ok && textOf(result.warnings)).toContain(
        `${variable}: has no effect: it does not name a server`,
      );
    }
  });

  test("B1: with something wrong is a problem of its server alone", () => {
    const result = loadText({ mcpServers: { a: { command: "x" } } }, { BAD_MCP_URL: "nonsense" });
    expect(result).toMatchObject({
      ok: true,
      config: {
        servers: [
          { id: "a", problems: [] },
          { id: "bad", problems: [{ path: "BAD_MCP_URL" }] },
        ],
      },
    });
  });

  test("in two spellings must say the same", () => {
    const same = { WEB_MCP_URL: "https://a.example", web_MCP_URL: "https://a.example" };
    expect(requireConfig({}, same).servers).toHaveLength(1);
    expect(problemsOf({}, { ...same, web_MCP_URL: "https://b.example" })).toEqual([
      'environment  web_MCP_URL: contradicts WEB_MCP_URL about the server "web"; unset one of them',
    ]);
  });

  test("counts as unset when it is empty or has no name", () => {
    expect(requireConfig({}, { A_MCP_URL: "", _MCP_URL: "https://h", MCP_URL: "https://h" }).servers).toEqual(
      [],
    );
  });
});

describe("<NAME>_API_KEY", () => {
  const key = { WEB_SEARCH_API_KEY: "canary-key" };

  test("goes to the remote server of that name", () => {
    const config = requireConfig(remote, key);
    expect(config.servers).toMatchObject([
      {
        fromEnvironment: ["WEB_SEARCH_API_KEY"],
        transport: { headers: { "X-Team": "a", Authorization: "Bearer canary-key" } },
        written: { headers: { "X-Team": "a", Authorization: "Bearer ${WEB_SEARCH_API_KEY}" } },
      },
    ]);
    expect(config.secrets).toContain("canary-key");
  });

  test("goes to a server that the environment added", () => {
    const { servers } = requireConfig({}, { ...key, WEB_SEARCH_MCP_URL: "https://h" });
    expect(servers[0]?.transport).toMatchObject({ headers: { Authorization: "Bearer canary-key" } });
  });

  test.each(["Authorization", "authorization", "AUTHORIZATION"])(
    "yields to the header %s of the file",
    (name) => {
      const file = { mcpServers: { "Web Search": { url: "https://h", headers: { [name]: "Basic abc" } } } };
      const { servers } = requireConfig(file, key);
      expect(servers[0]?.transport).toMatchObject({ headers: { [name]: "Basic abc" } });
      expect(servers[0]?.fromEnvironment).toEqual([]);
    },
  );

  test("goes nowhere without a remote server of that name", () => {
    const config = requireConfig(local, { FILES_API_KEY: "canary-1", OPENAI_API_KEY: "canary-2" });
    expect(JSON.stringify(config)).not.toContain("canary");
    expect(config.servers).toHaveLength(1);
  });

  test("that a header cannot carry is a problem, and is not repeated", () => {
    const [problem] = problemsOf(remote, { WEB_SEARCH_API_KEY: "canary\r\nX-Evil: 1" });
    expect(problem).toBe(
      "environment  WEB_SEARCH_API_KEY: has a line break or another character that a header cannot carry",
    );
  });
});

describe("<NAME>_MCP_ENABLED", () => {
  test.each([
    ["false", false],
    ["0", false],
    ["no", false],
    ["OFF", false],
    ["true", true],
    ["1", true],
    ["Yes", true],
    ["on", true],
    ["", true],
  ])("=%s makes a server of the file enabled: %s", (value, expected) => {
    expect(requireConfig(local, { FILES_MCP_ENABLED: value }).servers[0]?.enabled).toBe(expected);
  });

  test("enables what the file disables", () => {
    const file = { mcpServers: { files: { command: "x", enabled: false } } };
    expect(requireConfig(file, { FILES_MCP_ENABLED: "1" }).servers[0]?.enabled).toBe(true);
  });

  test("of another value is a problem that does not repeat it", () => {
    expect(problemsOf(local, { FILES_MCP_ENABLED: "maybe" })).toEqual([
      "environment  FILES_MCP_ENABLED: must be one of true, 1, yes, on, false, 0, no, off",
    ]);
  });

  test("without such a server is a warning", () => {
    const result = loadText(local, { FILE_MCP_ENABLED: "false" });
    expect(result.ok && textOf(result.warnings)).toBe(
      'environment  FILE_MCP_ENABLED: has no effect: there is no such server; did you mean the server "files"?',
    );
  });
});
