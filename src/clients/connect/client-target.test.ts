import { expect, it } from "vitest";
import { CLIENT_IDS, type ClientPlace } from "../client.ts";
import { findClientTarget } from "./client-target.ts";

const LINUX: ClientPlace = { platform: "linux", env: {}, homedir: "/home/ada", cwd: "/work" };
const MAC: ClientPlace = { ...LINUX, platform: "darwin", homedir: "/Users/ada" };
const WINDOWS: ClientPlace = {
  platform: "win32",
  env: { APPDATA: String.raw`C:\Users\ada\AppData\Roaming` },
  homedir: String.raw`C:\Users\ada`,
  cwd: String.raw`C:\work`,
};

function pathsOf(place: ClientPlace, scope: "user" | "project") {
  return Object.fromEntries(CLIENT_IDS.map((id) => [id, findClientTarget(id, scope, place)?.path]));
}

it("every client has a file for its user", () => {
  expect(pathsOf(LINUX, "user")).toEqual({
    claude: "/home/ada/.claude.json",
    "claude-desktop": "/home/ada/.config/Claude/claude_desktop_config.json",
    cursor: "/home/ada/.cursor/mcp.json",
    vscode: "/home/ada/.config/Code/User/mcp.json",
    windsurf: "/home/ada/.codeium/windsurf/mcp_config.json",
    codex: "/home/ada/.codex/config.toml",
    gemini: "/home/ada/.gemini/settings.json",
  });
});

it("desktop programs have a place of their own on each platform", () => {
  expect(pathsOf(MAC, "user")).toMatchObject({
    "claude-desktop": "/Users/ada/Library/Application Support/Claude/claude_desktop_config.json",
    vscode: "/Users/ada/Library/Application Support/Code/User/mcp.json",
  });
  expect(pathsOf(WINDOWS, "user")).toMatchObject({
    "claude-desktop": String.raw`C:\Users\ada\AppData\Roaming\Claude\claude_desktop_config.json`,
    vscode: String.raw`C:\Users\ada\AppData\Roaming\Code\User\mcp.json`,
    cursor: String.raw`C:\Users\ada\.cursor\mcp.json`,
  });
});

it("some clients have a file for a project, and some have none", () => {
  expect(pathsOf(LINUX, "project")).toEqual({
    claude: "/work/.mcp.json",
    "claude-desktop": undefined,
    cursor: "/work/.cursor/mcp.json",
    vscode: "/work/.vscode/mcp.json",
    windsurf: undefined,
    codex: "/work/.codex/config.toml",
    gemini: "/work/.gemini/settings.json",
  });
});

it("a folder that a client was told to use in a variable counts", () => {
  const env = { CODEX_HOME: "/srv/codex", CLAUDE_CONFIG_DIR: "/srv/claude" };
  expect(pathsOf({ ...LINUX, env }, "user")).toMatchObject({
    codex: "/srv/codex/config.toml",
    claude: "/srv/claude/.claude.json",
  });
});

it("the key that holds the servers is the client's own", () => {
  const sections = CLIENT_IDS.map((id) => findClientTarget(id, "user", LINUX)?.section);
  expect(sections).toEqual([
    "mcpServers",
    "mcpServers",
    "mcpServers",
    "servers",
    "mcpServers",
    "mcp_servers",
    "mcpServers",
  ]);
});
