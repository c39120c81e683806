import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CLIENT_IDS, type ClientId } from "../client.ts";
import { copyClientsHome, createClientsHome } from "../clients-home.testkit.ts";
import { readClients, SERVERS_PER_FILE_MAX, type ClientsRead } from "./read-clients.ts";
import { CLIENT_FILE_BYTES_MAX } from "../../config/files/read-file.ts";

const env = { GITHUB_TOKEN: "set", CI_JOB: "7" };

function serversOf(read: ClientsRead, client: ClientId) {
  return Object.fromEntries(
    read.servers.filter((server) => server.client === client).map((server) => [server.key, server]),
  );
}

describe("the home of the fixture", () => {
  test("is read without a problem, file by file", () => {
    const { place } = copyClientsHome(env);
    const read = readClients(place);
    expect(read.problems).toEqual([]);
    expect(read.read).toHaveLength(14);
    expect(new Set(read.servers.map(({ client }) => client))).toEqual(new Set(CLIENT_IDS));
  });

  test("Claude Code: the user's, this folder's and the project's, each as far as it is wanted", () => {
    const { place } = copyClientsHome(env);
    const servers = serversOf(readClients(place), "claude");
    expect(Object.keys(servers)).not.toContain("elsewhere");
    expect(servers["github"]?.entry).toEqual({
      type: "http",
      url: "https://api.githubcopilot.com/mcp/",
      headers: { Authorization: "Bearer ${GITHUB_TOKEN}" },
    });
    expect(servers["database"]).toMatchObject({
      scope: "project",
      path: join(place.homedir, ".claude.json"),
      entry: { command: "uvx", args: ["mcp-server-postgres", "${SHOP_DB:-postgresql://localhost/shop}"] },
    });
    expect(servers["sentry"]).toMatchObject({ isEnabled: false, entry: { type: "sse", enabled: false } });
    expect(servers["from-settings"]?.entry).toEqual({ command: "settings-server" });
    expect(servers["shop-tools"]).toMatchObject({ isEnabled: true, entry: { cwd: place.cwd } });
    expect(servers["shop-refused"]?.isEnabled).toBe(false);
  });

  test("T170: a server that came with the project and that nobody approved is switched off", () => {
    const { place } = copyClientsHome(env);
    expect(serversOf(readClients(place), "claude")["shop-new"]).toMatchObject({
      isEnabled: false,
      entry: { enabled: false },
      notes: ["It came with the project and was never approved in Claude Code."],
    });
  });

  test("Claude Desktop: literal texts, and the server behind mcp-remote", () => {
    const servers = serversOf(readClients(copyClientsHome(env).place), "claude-desktop");
    expect(servers["notion"]?.entry).toMatchObject({ env: { GREETING: "costs $${5} dollars" } });
    expect(servers["linear"]).toMatchObject({
      entry: {
        type: "http",
        url: "https://mcp.linear.app/mcp",
        headers: { Authorization: "Bearer fake-token-for-tests-0001" },
      },
      notes: ["It was reached through mcp-remote; Repertoire reaches it directly."],
    });
    expect(servers["broken"]).toMatchObject({ entry: {}, notes: ["It has neither a command nor a url."] });
  });

  test("Cursor, Windsurf and VS Code: their variables, inputs and switches", () => {
    const { place } = copyClientsHome(env);
    const read = readClients(place);
    const cursor = serversOf(read, "cursor");
    expect(cursor["notes"]?.entry).toEqual({
      command: "node",
      args: [join(place.homedir, "notes/server.js")],
      env: { NOTES_TOKEN: "${NOTES_TOKEN}" },
      envFile: join(place.homedir, ".env"),
    });
    expect(cursor["notes"]?.notes).toEqual([]);
    const vscode = serversOf(read, "vscode");
    expect(vscode["stripe"]?.entry).toMatchObject({ env: { STRIPE_SECRET_KEY: "${input:stripe-key}" } });
    expect(vscode["stripe"]?.inputs.map(({ id, type }) => `${id} ${type}`)).toEqual([
      "region pickString",
      "stripe-key promptString",
    ]);
    expect(vscode["old-settings"]?.entry).toEqual({
      command: "python3",
      args: ["-m", "old_server"],
      cwd: place.cwd,
    });
    const windsurf = serversOf(read, "windsurf");
    expect(windsurf["figma"]?.entry).toMatchObject({
      type: "http",
      headers: { "X-Region": "${FIGMA_REGION}" },
      tools: { deny: ["delete_file"] },
    });
    expect(windsurf["asleep"]?.isEnabled).toBe(false);
  });

  test("Codex and Gemini CLI: limits, lists and variables by name", () => {
    const { place } = copyClientsHome(env);
    const read = readClients(place);
    const codex = serversOf(read, "codex");
    expect(codex["filesystem"]?.entry).toMatchObject({
      env: { TEMPLATE: "$${literal}" },
      timeoutMs: 90_500,
      tools: { allow: ["read_file", "list_directory"], deny: ["write_file"] },
    });
    expect(codex["figma-remote"]?.entry).toEqual({
      type: "http",
      url: "https://codex.example.com/mcp",
      headers: {
        Authorization: "Bearer ${FIGMA_OAUTH_TOKEN}",
        "X-Trace": "${TRACE_TOKEN}",
        "X-Client": "codex",
      },
      enabled: false,
    });
    expect(codex["build"]).toMatchObject({
      entry: { env: { CI_JOB: "${CI_JOB}" } },
      notes: ["The variable NOT_SET_HERE is not set here, so it is not passed on."],
    });
    const gemini = serversOf(read, "gemini");
    expect(gemini["maps"]?.entry).toEqual({
      command: "npx",
      args: ["-y", "maps-server", "pa$word"],
      env: { MAPS_API_KEY: "${MAPS_API_KEY}" },
      timeoutMs: 30_000,
      tools: { allow: ["geocode", "route"] },
    });
    expect(gemini["weather"]?.entry).toEqual({ type: "sse", url: "http://localhost:8080/events" });
    expect(gemini["search"]?.entry).toMatchObject({ type: "http" });
    expect(gemini["experimental"]?.isEnabled).toBe(false);
    expect(gemini["shop-translate"]?.entry).toMatchObject({ cwd: join(place.cwd, "tools") });
  });
});

describe("what comes with a project folder", () => {
  const server = { tool: { command: "x" } };

  test.each([".cursor/mcp.json", ".vscode/mcp.json", ".gemini/settings.json"])(
    "T170: is switched off in %s, because nobody is known to have approved of it",
    (path) => {
      const home = createClientsHome();
      home.write(`work/shop/${path}`, { mcpServers: server });
      expect(readClients(home.place).servers).toMatchObject([
        { isEnabled: false, entry: { enabled: false } },
      ]);
    },
  );

  test("is on for Codex where the user trusts the nearest folder that Codex knows", () => {
    const home = createClientsHome();
    const { homedir, cwd } = home.place;
    home.write("work/shop/.codex/config.toml", '[mcp_servers.tool]\ncommand = "x"\n');
    const isOn = (...trust: [string, string][]): boolean | undefined => {
      const tables = trust.map(([folder, level]) => `[projects."${folder}"]\ntrust_level = "${level}"\n`);
      home.write(".codex/config.toml", tables.join(""));
      return readClients(home.place).servers[0]?.isEnabled;
    };
    expect(isOn()).toBe(false);
    expect(isOn([homedir, "trusted"])).toBe(true);
    expect(isOn([homedir, "trusted"], [cwd, "untrusted"])).toBe(false);
    expect(isOn([`${cwd}-other`, "trusted"])).toBe(false);
  });
});

describe("approval in Claude Code", () => {
  const shop = { mcpServers: { tool: { command: "x" } } };

  test("T170: no file of the project can approve of its own servers", () => {
    const home = createClientsHome();
    home.write("work/shop/.mcp.json", shop);
    home.write("work/shop/.claude/settings.local.json", { enableAllProjectMcpServers: true });
    expect(readClients(home.place).servers).toMatchObject([{ key: "tool", isEnabled: false }]);
    home.write(".claude.json", { projects: { [home.place.cwd]: { hasTrustDialogAccepted: true } } });
    expect(readClients(home.place).servers).toMatchObject([{ key: "tool", isEnabled: true }]);
  });

  test("a folder above counts, and the nearest of them", () => {
    const home = createClientsHome();
    const at = (command: string) => ({ mcpServers: { tool: { command } } });
    home.write(".claude.json", {
      projects: { "/": at("far"), [home.place.homedir]: at("near"), "/a": at("no") },
    });
    expect(readClients(home.place).servers.map(({ entry }) => entry["command"])).toEqual(["near"]);
  });
});

describe("files as they are met", () => {
  test("a byte order mark, comments, trailing commas and an empty file are read", () => {
    const home = createClientsHome();
    home.write(".cursor/mcp.json", '\uFEFF{ /* a */ "mcpServers": { "a": { "command": "x", }, }, } // b');
    home.write(".gemini/settings.json", "");
    const read = readClients(home.place);
    expect(read.problems).toEqual([]);
    expect(read.read).toHaveLength(2);
    expect(read.servers).toMatchObject([{ key: "a", entry: { command: "x" } }]);
  });

  test.each([
    ["mcp.mcpServers", { mcp: { mcpServers: { a: { command: "x" } } } }],
    ["mcp.servers", { mcp: { servers: { a: { command: "x" } } } }],
    ["servers", { servers: { a: { command: "x" } } }],
  ])("servers under %s are found", (_, content) => {
    const home = createClientsHome();
    home.write(".cursor/mcp.json", content);
    expect(readClients(home.place).servers).toMatchObject([{ key: "a" }]);
  });

  test("VS Code's settings may have the way in the key", () => {
    const home = createClientsHome();
    home.write("work/shop/.vscode/settings.json", {
      "mcp.servers": { a: { command: "x" } },
      servers: { b: {} },
    });
    expect(readClients(home.place).servers.map(({ key }) => key)).toEqual(["a"]);
  });
});

describe("hostile files", () => {
  test("T037: a folder, a pipe, a huge file and broken texts are problems, and the others are read", () => {
    const home = createClientsHome();
    mkdirSync(join(home.place.homedir, ".claude.json"));
    mkdirSync(join(home.place.homedir, ".cursor"));
    execFileSync("/usr/bin/mkfifo", [join(home.place.homedir, ".cursor/mcp.json")]);
    home.write(".config/Claude/claude_desktop_config.json", " ".repeat(CLIENT_FILE_BYTES_MAX + 1));
    home.write(".codex/config.toml", 'a = "fake-token-for-tests-0001\n');
    home.write(".codeium/mcp_config.json", "[".repeat(5000));
    home.write("work/shop/.vscode/mcp.json", "{ fake-token-for-tests-0002 }");
    home.write(".gemini/settings.json", { mcpServers: { fine: { command: "x" } } });
    const read = readClients(home.place);
    expect(read.servers.map(({ key }) => key)).toEqual(["fine"]);
    const said = read.problems.map(({ path, message }) => `${path.split("/").at(-1)}: ${message}`);
    expect(said).toHaveLength(6);
    expect(said).toEqual(
      expect.arrayContaining([
        ".claude.json: this is a folder; give the path of a file",
        "claude_desktop_config.json: the file is larger than 16777216 bytes",
        "mcp.json: this is a pipe, socket or device; give the path of a regular file",
        expect.stringContaining("mcp.json: line 1: "),
        "mcp_config.json: line 1: nests deeper than 64 levels",
        "config.toml: line 1: this is not valid TOML",
      ]),
    );
    expect(JSON.stringify(read.problems)).not.toContain("fake-token");
  });

  test("a key that reaches a prototype, or that stands twice, is a problem and no server", () => {
    const home = createClientsHome();
    home.write(
      ".cursor/mcp.json",
      '{"mcpServers": {"__proto__": {"command": "x"}, "a": {"command": "1"}, "a": {"command": "2"}}}',
    );
    home.write(
      ".codex/config.toml",
      '[mcp_servers.__proto__]\ncommand = "x"\n[mcp_servers.b]\ncommand = "y"\n',
    );
    const read = readClients(home.place);
    expect(read.servers.map(({ key }) => key)).toEqual(["a", "b"]);
    expect(read.problems).toHaveLength(3);
    expect(({} as Record<string, unknown>)["command"]).toBeUndefined();
  });

  test("of ten thousand servers the first are read, and the limit is said", () => {
    const home = createClientsHome();
    const many = Array.from({ length: 10_000 }, (_, index) => [`s${index}`, { command: `c${index}` }]);
    home.write("work/shop/.mcp.json", { mcpServers: Object.fromEntries(many) });
    home.write(".gemini/settings.json", { mcpServers: { fine: { command: "x" } } });
    const read = readClients(home.place);
    expect(read.servers).toHaveLength(SERVERS_PER_FILE_MAX + 1);
    expect(read.problems.map(({ message }) => message)).toEqual([
      `has 10000 servers; only the first ${SERVERS_PER_FILE_MAX} are read`,
    ]);
  });

  test("a table of servers that is none is said", () => {
    const home = createClientsHome();
    home.write(".cursor/mcp.json", { mcpServers: ["a"] });
    home.write(".gemini/settings.json", "[]");
    expect(readClients(home.place).problems.map(({ message }) => message)).toEqual([
      "mcpServers is not an object, so none of its servers is read",
      "is not an object, so it has no servers",
    ]);
  });
});
