import { describe, expect, test } from "vitest";
import { checkServers, parseServerKey } from "./server-check.ts";
import { loadText, problemsOf, requireConfig, textOf } from "../temp-project.testkit.ts";

function complaintsAbout(server: unknown): string[] {
  const { complaints } = checkServers({ mcpServers: { a: server } });
  return complaints.map((complaint) => `${complaint.path.slice(2).join(".")}: ${complaint.message}`);
}

describe("how a server is reached", () => {
  test.each([
    [{ command: "x", url: "https://h" }, 'url: a server has "command" or "url", not both'],
    [{}, ': "command" or "url" is missing'],
    [{ enabled: true }, ': "command" or "url" is missing'],
    [{ url: "https://h", args: [] }, 'args: belongs to a server with "command"'],
    [{ url: "https://h", env: {} }, 'env: belongs to a server with "command"'],
    [{ command: "x", headers: {} }, 'headers: belongs to a server with "url"'],
    [{ url: "https://h", type: "stdio" }, 'type: a server with "url" has type "http" or "sse"'],
    [{ command: "x", type: "sse" }, 'type: a server with "command" has type "stdio"'],
    [
      { url: "https://h", headers: { Accept: "a", ACCEPT: "b" } },
      "headers.ACCEPT: duplicate header: names that differ only in case are the same",
    ],
  ])("%j", (server, expected) => {
    expect(complaintsAbout(server)).toEqual([expected]);
  });

  test("is missing with the key that was probably meant", () => {
    const { complaints } = checkServers({ mcpServers: { a: { comand: "x" }, b: { uri: "https://h" } } });
    expect(complaints.map(({ hint }) => hint)).toEqual([
      'is "comand" meant to be "command"?',
      'is "uri" meant to be "url"?',
    ]);
  });

  test.each([null, [], "x", 1, { command: 1 }, { url: null, headers: [] }])(
    "never throws on %j",
    (server) => {
      expect(() => checkServers({ mcpServers: { a: server } })).not.toThrow();
      expect(() => checkServers(server)).not.toThrow();
      expect(() => checkServers({ mcpServers: server })).not.toThrow();
    },
  );
});

describe("T025: server names", () => {
  test.each([
    ["", "no letter"],
    [".", "no letter"],
    ["..", "no letter"],
    ["日本", "no letter"],
    ["mcp", "reserved"],
    ["MCP", "reserved"],
    ["constructor", "reserved"],
    ["prototype", "reserved"],
    ["CON", "reserved"],
    ["a\0b", "control characters"],
    ["a\nb", "control characters"],
    ["x".repeat(300), "at most 128 characters"],
    ["x".repeat(33), "longer than 32 characters"],
  ])("%j is refused with the rule: %s", (key, rule) => {
    const parsed = parseServerKey(key);
    expect(parsed.ok ? parsed.id : parsed.message).toContain(rule);
    const loaded = loadText({ mcpServers: { [key]: { command: "x" }, other: { command: "y" } } });
    expect(loaded).toMatchObject({ ok: true, config: { servers: [{ id: "other", problems: [] }] } });
    expect(loaded.ok && textOf(loaded.warnings)).toContain("this server is left out");
  });

  test.each([
    ["../x", "x"],
    ["a/b", "a_b"],
    ["a\\b", "a_b"],
    ["..%2fx", "2fx"],
    ["-rf", "rf"],
    ["--help", "help"],
    ["nul.txt", "nul_txt"],
    ["toString", "tostring"],
    ["hasOwnProperty", "hasownproperty"],
    ["trailing. ", "trailing"],
    ["My Server", "my_server"],
  ])("%j becomes the harmless id %s", (key, id) => {
    const config = requireConfig({ mcpServers: { [key]: { command: "x" } } });
    expect(config.servers.map((server) => server.id)).toEqual([id]);
  });

  test.each([
    ["\uFF47ithub", "ithub", "U+FF47"],
    ["g\u0456thub", "g_thub", "U+0456"],
    ["caf\u00E9", "caf", "U+00E9"],
  ])("S18: %s becomes %s, and a warning shows both", (key, id, point) => {
    const loaded = loadText({ mcpServers: { [key]: { command: "x" }, github: { command: "y" } } });
    const told = loaded.ok ? textOf(loaded.warnings) : "";
    expect(told).toContain(`the server "${key}" is called "${id}" here, because its name has ${point}`);
    expect(told.split("\n")).toHaveLength(1);
  });

  test("__proto__ is refused, and no prototype changes", () => {
    const loaded = loadText('{"mcpServers": {"__proto__": {"command": "x"}}}');
    expect(loaded.ok && textOf(loaded.warnings)).toContain(
      "mcpServers.__proto__: is not allowed as a key; this server is left out",
    );
    expect(loaded).toMatchObject({ config: { servers: [] } });
    expect(({} as Record<string, unknown>)["command"]).toBeUndefined();
  });

  test("with one id name each other", () => {
    const problems = problemsOf({ mcpServers: { "a b": { command: "x" }, A_b: { command: "y" } } });
    expect(problems).toEqual([
      'repertoire.json:6:5  mcpServers.A_b: "a b" and "A_b" have the same server id "a_b"; rename one of them',
    ]);
  });
});
