import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openInputs } from "../../secrets/inputs.ts";
import { changedSince, connect } from "./connect.ts";
import type { ConnectOptions, ConnectEnvironment } from "./connect-server.ts";

interface Rig {
  readonly environment: ConnectEnvironment;
  readonly root: string;
  readonly asked: string[];
  readonly read: (path: string) => string;
}

/** A machine of its own; `answer` is what the person says, if there is one. */
function createRig(answer?: boolean): Rig {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "repertoire-test-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const cwd = join(root, "project");
  mkdirSync(cwd);
  const asked: string[] = [];
  const own = {
    platform: "linux",
    script: "/opt/repertoire/dist/main.js",
    execPath: "/opt/node",
    searchPath: "/bin",
    realPathOf: (path: string) =>
      path.startsWith("/opt/") || path === "/bin/repertoire" ? "/opt/repertoire/dist/main.js" : undefined,
  } as const;
  const ask = (question: string): Promise<boolean> => {
    asked.push(question);
    return Promise.resolve(answer === true);
  };
  const place = { platform: "linux", env: {}, homedir: join(root, "user"), cwd } as const;
  const environment = { place, home: join(root, "home"), own, ...(answer === undefined ? {} : { ask }) };
  return { environment, root, asked, read: (path) => readFileSync(join(root, path), "utf8") };
}

const YES: ConnectOptions = { yes: true };

it("C6: Node and the script are written by their full paths, with what was given, although PATH has the name", async () => {
  const { environment, read, root } = createRig();
  const options = { ...YES, config: "my.json", home: "../home", profile: "review" };
  expect(await connect("cursor", options, environment)).toBe(0);
  expect(JSON.parse(read("user/.cursor/mcp.json"))).toEqual({
    mcpServers: {
      repertoire: {
        command: "/opt/node",
        args: [
          "/opt/repertoire/dist/main.js",
          "serve",
          "--config",
          join(root, "project/my.json"),
          "--home",
          join(root, "home"),
          "--profile",
          "review",
        ],
      },
    },
  });
});

it.each<[client: string, file: string, before: string]>([
  [
    "cursor",
    "user/.cursor/mcp.json",
    '{"mcpServers": {"repertoire": {"command": "repertoire", "args": ["serve"], "env": {"A": "1"}}}}',
  ],
  [
    "vscode",
    "user/.config/Code/User/mcp.json",
    '{"servers": {"repertoire": {"type": "stdio", "command": "repertoire", "args": ["serve"], "env": {"A": "1"}}}}',
  ],
  [
    "codex",
    "user/.codex/config.toml",
    '[mcp_servers.repertoire]\ncommand = "repertoire"\nargs = ["serve"]\n[mcp_servers.repertoire.env]\nA = "1"\n',
  ],
])(
  "C6: an entry of %s with the bare name is replaced, and what was added by hand stays",
  async (client, file, before) => {
    const { environment, read, root } = createRig();
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), before);
    expect(await connect(client, YES, environment)).toBe(0);
    expect(read(file)).not.toContain('"repertoire",');
    expect(read(file)).not.toMatch(/command"?\s*[:=]\s*"repertoire"/);
    for (const part of ["/opt/node", "/opt/repertoire/dist/main.js", "serve", "A"])
      expect(read(file)).toContain(part);
    expect(await connect(client, { undo: true }, environment)).toBe(0);
    expect(read(file)).toBe(before);
  },
);

it("C6: out of the cache of npx, npx is written by its full path, with a PATH where it needs one", async () => {
  const { environment, read } = createRig();
  const own = {
    ...environment.own,
    script: "/cache/_npx/1/node_modules/repertoire/dist/main.js",
    realPathOf: (path: string) => (path === "/opt/npx" || path.startsWith("/cache/") ? path : undefined),
  };
  await connect("claude", YES, { ...environment, own });
  expect(JSON.parse(read("user/.claude.json"))).toEqual({
    mcpServers: {
      repertoire: {
        type: "stdio",
        command: "/opt/npx",
        args: ["-y", "repertoire", "serve"],
        alwaysLoad: true,
        env: { PATH: "/opt:/bin:/usr/bin" },
      },
    },
  });
});

it("a home that only this shell knows is written down, because a desktop does not know it", async () => {
  const { environment, read } = createRig();
  const place = { ...environment.place, env: { REPERTOIRE_HOME: "/my/home" } };
  await connect("cursor", YES, { ...environment, place });
  expect(JSON.parse(read("user/.cursor/mcp.json"))).toMatchObject({
    mcpServers: { repertoire: { args: [expect.any(String), "serve", "--home", "/my/home"] } },
  });
});

it("an address goes into the project's file, with the name of the token's variable", async () => {
  const { environment, read } = createRig();
  await connect("codex", { ...YES, project: true, http: "http://127.0.0.1:7373/mcp" }, environment);
  expect(read("project/.codex/config.toml")).toBe(
    `[mcp_servers.repertoire]\nurl = "http://127.0.0.1:7373/mcp"\nbearer_token_env_var = "REPERTOIRE_TOKEN"\n`,
  );
});

it("a person is asked once, and a no changes nothing", async () => {
  const refusing = createRig(false);
  expect(await connect("cursor", {}, refusing.environment)).toBe(6);
  expect(refusing.asked).toEqual([`Write this to ${join(refusing.root, "user/.cursor/mcp.json")}?`]);
  expect(existsSync(join(refusing.root, "user"))).toBe(false);
  const agreeing = createRig(true);
  expect(await connect("cursor", {}, agreeing.environment)).toBe(0);
  expect(await connect("cursor", {}, agreeing.environment)).toBe(0);
  expect(agreeing.asked).toHaveLength(1);
});

it("without a terminal and without --yes nothing is changed, nor with --dry-run", async () => {
  const { environment, root } = createRig();
  expect(await connect("cursor", {}, environment)).toBe(2);
  expect(await connect("cursor", { ...YES, dryRun: true }, environment)).toBe(0);
  expect([existsSync(join(root, "user")), existsSync(join(root, "home"))]).toEqual([false, false]);
});

it.each<[name: string, options: ConnectOptions]>([
  ["cursr", {}],
  ["windsurf", { project: true }],
  ["claude-desktop", { http: "http://127.0.0.1/mcp" }],
  ["cursor", { http: "127.0.0.1/mcp" }],
  ["cursor", { http: "http://127.0.0.1/mcp", profile: "x" }],
  ["cursor", { token: false }],
])("words that make no sense are refused: %s %o", async (name, options) => {
  const { environment, root } = createRig();
  expect(await connect(name, { ...YES, ...options }, environment)).toBe(2);
  expect(existsSync(join(root, "user"))).toBe(false);
});

it("N11: who undoes by hand is told that servers went, and that --force loses what came later", () => {
  const target = { client: "claude", path: "/h/.claude.json", section: "mcpServers" } as const;
  const said = changedSince(target, {});
  expect(said).toContain("put back the servers that connecting removed");
  expect(said).toContain("lose the changes: repertoire connect claude --undo --force");
});

it.each([
  [
    "cursor",
    "user/.cursor/mcp.json",
    (text: string) => text.replace("{", '{\n  "seen": 1,'),
    ['"seen": 1', '"old"', '"token": "kept"'],
  ],
  [
    "codex",
    "user/.codex/config.toml",
    (text: string) => `model = "x"\n${text}`,
    ['model = "x"', "[mcp_servers.old]"],
  ],
] as const)(
  "N11: undoing %s after the client has written to its file takes only our entry out, and brings back what went",
  async (client, file, change, kept) => {
    const { environment, root, read } = createRig();
    const old = { command: "sh", args: ["-c", "x"] };
    const before =
      client === "codex"
        ? '[mcp_servers.old]\ncommand = "sh"\nargs = ["-c", "x"]\n'
        : JSON.stringify({ mcpServers: { old, other: { command: "o", env: { token: "kept" } } } }, null, 2);
    writeClient(root, file, before);
    writeConfig(root, { mcpServers: { old } });
    expect(await connect(client, YES, environment)).toBe(0);
    expect(read(file)).not.toMatch(/"old": \{|servers\.old/);
    writeFileSync(join(root, file), change(read(file)));
    expect(await connect(client, { undo: true }, environment)).toBe(0);
    for (const words of kept) expect(read(file)).toContain(words);
    expect(read(file)).not.toContain("repertoire");
    expect(await connect(client, { undo: true }, environment)).toBe(1);
  },
);

it("a broken file fails, and undoing takes only our entry out where the file was changed since", async () => {
  const { environment, root, read } = createRig();
  const path = join(root, "user/.cursor/mcp.json");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "{");
  expect(await connect("cursor", YES, environment)).toBe(1);
  expect(await connect("cursor", { undo: true }, environment)).toBe(1);
  writeFileSync(path, "{}");
  expect(await connect("cursor", YES, environment)).toBe(0);
  writeFileSync(path, "[ ]");
  expect(await connect("cursor", { undo: true }, environment)).toBe(6);
  expect(read("user/.cursor/mcp.json")).toBe("[ ]");
  expect(await connect("cursor", { undo: true, force: true }, environment)).toBe(0);
  expect(read("user/.cursor/mcp.json")).toBe("{}");
});

it("as a command it prints data on stdout and the rest on stderr, and tells the nearest client", () => {
  const { root } = createRig();
  const script = `
    const { Command } = await import("commander");
    const { connectCommand } = await import(${JSON.stringify(import.meta.resolve("./connect.ts"))});
    const { registerCommand } = await import(${JSON.stringify(import.meta.resolve("../command.ts"))});
    for (const line of [["cursr"], ["cursor"], ["cursor", "--yes", "--json"], ["cursor", "--yes", "--json"], ["cursor", "--undo"]]) {
      const codes = [];
      const program = new Command("repertoire").option("--json").option("--home <folder>");
      registerCommand(program, connectCommand, (code) => codes.push(code));
      await program.parseAsync(["connect", ...line, "--home", ${JSON.stringify(join(root, "home"))}], { from: "user" });
      process.stderr.write("exit " + codes.join() + "\\n");
    }`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], {
    cwd: join(import.meta.dirname, "../../.."),
    env: { HOME: join(root, "user"), PATH: "", NO_COLOR: "1" },
    encoding: "utf8",
  });
  const file = join(root, "user/.cursor/mcp.json");
  expect(stderr.match(/^exit \d$/gm)).toEqual(["exit 2", "exit 2", "exit 0", "exit 0", "exit 0"]);
  expect(stderr).toContain(
    `there is no client "cursr". Did you mean cursor? Clients: claude, claude-desktop,`,
  );
  expect(stderr).toMatch(/no terminal to ask at.* run: repertoire connect cursor --yes --home /);
  expect(stderr).toContain(`${file} is removed; it did not exist before`);
  const [diff, first, second] = stdout.split(/^(?=\{$)/m);
  expect(diff).toContain(`+++ ${file}\n`);
  expect(JSON.parse(first!)).toEqual({
    client: "cursor",
    file,
    changed: true,
    diff,
    backup: expect.stringContaining(join(root, "home/backups/cursor-user-")) as string,
    gone: [],
  });
  expect(JSON.parse(second!)).toEqual({
    client: "cursor",
    file,
    changed: false,
    diff: "",
    backup: null,
    gone: [],
  });
  expect(existsSync(dirname(file))).toBe(false);
});

const FILES = { command: "npx", args: ["-y", "files", "/data"] };
const CHAT = { url: "https://chat.example/mcp", headers: { Authorization: "Bearer my-own-token" } };

function writeConfig(root: string, config: object): void {
  const path = join(root, "user/.config/repertoire/repertoire.json");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(config));
}

function writeClient(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

describe("C6: servers that the gateway has too", () => {
  it("go out of the client with the same change, and --undo brings them back", async () => {
    const { environment, root, read } = createRig();
    writeConfig(root, { mcpServers: { files: FILES, chat: CHAT } });
    const before = `{\n  // mine\n  "mcpServers": {\n    "docs": ${JSON.stringify(FILES)},\n    "mine": {"command": "x"}, // keep\n    "talk": ${JSON.stringify(CHAT)}\n  }\n}\n`;
    writeClient(root, "user/.cursor/mcp.json", before);
    expect(await connect("cursor", { ...YES, dryRun: true }, environment)).toBe(0);
    expect(await connect("cursor", { ...YES, keepServers: true, dryRun: true }, environment)).toBe(0);
    expect(read("user/.cursor/mcp.json")).toBe(before);
    expect(await connect("cursor", YES, environment)).toBe(0);
    const after = read("user/.cursor/mcp.json");
    expect(
      Object.keys((JSON.parse(after.replace(/ \/\/.*/g, "")) as { mcpServers: object }).mcpServers),
    ).toEqual(["mine", "repertoire"]);
    expect(after).toContain("// keep");
    expect(await connect("cursor", { undo: true }, environment)).toBe(0);
    expect(read("user/.cursor/mcp.json")).toBe(before);
    expect(await connect("cursor", { ...YES, keepServers: true }, environment)).toBe(0);
    expect(read("user/.cursor/mcp.json")).toContain('"talk"');
  });

  it("N12: that it cannot start yet stay in the client, and are named", async () => {
    const { environment, root, read } = createRig();
    const slow = { command: "sh", args: ["-c", "x"], env: { TOKEN: "${input:gh}" } };
    writeConfig(root, { mcpServers: { slow, files: FILES } });
    writeClient(root, "user/.cursor/mcp.json", JSON.stringify({ mcpServers: { slow, docs: FILES } }));
    const said: unknown[] = [];
    const spy = vi.spyOn(process.stderr, "write").mockImplementation((text) => said.push(text) > 0);
    expect(await connect("cursor", YES, environment)).toBe(0);
    spy.mockRestore();
    expect(said.join("")).toContain("slow: still in Cursor, because the gateway cannot start it yet");
    expect(read("user/.cursor/mcp.json")).toMatch(/"slow"/);
    expect(read("user/.cursor/mcp.json")).not.toMatch(/"docs"/);
  });

  it("are recognised with the value of an input in place, in VS Code and in Codex", async () => {
    const { environment, root, read } = createRig();
    const inputs = openInputs({ home: environment.home });
    await inputs.set("chat-key", "my-own-token");
    writeConfig(root, {
      mcpServers: {
        files: FILES,
        chat: { ...CHAT, headers: { Authorization: "Bearer ${input:chat-key}" } },
      },
    });
    writeClient(
      root,
      "user/.config/Code/User/mcp.json",
      JSON.stringify(
        { servers: { chat: { type: "http", ...CHAT }, files: { type: "stdio", ...FILES } } },
        null,
        2,
      ),
    );
    writeClient(
      root,
      "user/.codex/config.toml",
      '[mcp_servers.files]\ncommand = "npx"\nargs = ["-y", "files", "/data"]\n\n[mcp_servers.other]\ncommand = "y"\n',
    );
    const options = { ...YES, home: environment.home };
    expect(await connect("vscode", options, environment)).toBe(0);
    expect(
      Object.keys((JSON.parse(read("user/.config/Code/User/mcp.json")) as { servers: object }).servers),
    ).toEqual(["repertoire"]);
    expect(await connect("codex", options, environment)).toBe(0);
    expect(read("user/.codex/config.toml")).not.toContain("[mcp_servers.files]");
    expect(read("user/.codex/config.toml")).toContain("[mcp_servers.other]");
  });

  it.each<[why: string, ours: object, theirs: object, options?: ConnectOptions]>([
    ["is another account", { ...CHAT, headers: { Authorization: "Bearer other" } }, CHAT],
    ["has a header that ours lacks", { url: CHAT.url }, CHAT],
    ["is switched off in ours", { ...FILES, enabled: false }, FILES],
    [
      "cannot be started by us",
      { ...FILES, env: { KEY: "${UNSET_HERE}" } },
      { ...FILES, env: { KEY: "${UNSET_HERE}" } },
    ],
    ["hides tools that ours shows", FILES, { ...FILES, disabledTools: ["delete"] }],
    ["has other arguments", FILES, { ...FILES, args: ["-y", "files", "/other"] }],
    ["is switched off in the client", FILES, { ...FILES, disabled: true }],
    ["may not be in the profile", FILES, FILES, { profile: "review" }],
    ["may not be at the address", FILES, FILES, { http: "http://127.0.0.1:1/mcp" }],
  ])("stay where the server %s", async (_, ours, theirs, options = {}) => {
    const { environment, root, read } = createRig();
    writeConfig(root, { mcpServers: { one: ours } });
    writeClient(root, "user/.cursor/mcp.json", JSON.stringify({ mcpServers: { one: theirs } }));
    expect(await connect("cursor", { ...YES, ...options }, environment)).toBe(0);
    expect(JSON.parse(read("user/.cursor/mcp.json"))).toMatchObject({
      mcpServers: { one: theirs, repertoire: {} },
    });
  });

  it("stay where they have no lines of their own, and the client is connected all the same", async () => {
    const { environment, root, read } = createRig();
    writeConfig(root, { mcpServers: { files: FILES } });
    const before = '[mcp_servers]\nfiles = { command = "npx", args = ["-y", "files", "/data"] }\n';
    writeClient(root, "user/.codex/config.toml", before);
    expect(await connect("codex", YES, environment)).toBe(0);
    expect(read("user/.codex/config.toml")).toContain(`${before}\n[mcp_servers.repertoire]`);
  });

  it("stay where they are named", async () => {
    const { environment, root, read } = createRig();
    writeConfig(root, { mcpServers: { files: FILES, chat: CHAT } });
    writeClient(root, "user/.cursor/mcp.json", JSON.stringify({ mcpServers: { a: FILES, b: CHAT } }));
    expect(await connect("cursor", { ...YES, keepServers: ["chat"] }, environment)).toBe(0);
    const { mcpServers } = JSON.parse(read("user/.cursor/mcp.json")) as { mcpServers: object };
    expect(Object.keys(mcpServers)).toEqual(["b", "repertoire"]);
  });

  it("of a project's file stay, because others have that file too", async () => {
    const { environment, root, read } = createRig();
    writeConfig(root, { mcpServers: { files: FILES } });
    writeClient(root, "project/.cursor/mcp.json", JSON.stringify({ mcpServers: { files: FILES } }));
    expect(await connect("cursor", { ...YES, project: true }, environment)).toBe(0);
    expect(JSON.parse(read("project/.cursor/mcp.json"))).toMatchObject({ mcpServers: { files: FILES } });
  });
});
