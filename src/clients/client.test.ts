import { describe, expect, test } from "vitest";
import { CLIENT_IDS, CLIENT_TITLES, listClientFiles, type ClientPlace } from "./client.ts";

function pathsOn(place: Partial<ClientPlace>): string[] {
  const base = { platform: "linux" as const, env: {}, homedir: "/home/dev", cwd: "/home/dev/shop" };
  return listClientFiles({ ...base, ...place }).map(
    ({ client, scope, path }) => `${client} ${scope} ${path}`,
  );
}

test("every client has a title and a file of its user", () => {
  expect(Object.keys(CLIENT_TITLES)).toEqual([...CLIENT_IDS]);
  const files = listClientFiles({ platform: "linux", env: {}, homedir: "/h", cwd: "/p" });
  for (const client of CLIENT_IDS) {
    expect(files.find((file) => file.client === client)).toMatchObject({
      scope: "user",
      format: client === "codex" ? "toml" : "jsonc",
    });
  }
});

describe("listClientFiles", () => {
  test("knows the places on Linux", () => {
    expect(pathsOn({})).toEqual([
      "claude user /home/dev/.claude.json",
      "claude user /home/dev/.claude/settings.json",
      "claude project /home/dev/shop/.mcp.json",
      "claude project /home/dev/shop/.claude/settings.json",
      "claude project /home/dev/shop/.claude/settings.local.json",
      "claude-desktop user /home/dev/.config/Claude/claude_desktop_config.json",
      "cursor user /home/dev/.cursor/mcp.json",
      "cursor project /home/dev/shop/.cursor/mcp.json",
      "vscode user /home/dev/.config/Code/User/mcp.json",
      "vscode user /home/dev/.config/Code/User/settings.json",
      "vscode user /home/dev/.config/Code - Insiders/User/mcp.json",
      "vscode user /home/dev/.config/Code - Insiders/User/settings.json",
      "vscode user /home/dev/.config/VSCodium/User/mcp.json",
      "vscode user /home/dev/.config/VSCodium/User/settings.json",
      "vscode project /home/dev/shop/.vscode/mcp.json",
      "vscode project /home/dev/shop/.vscode/settings.json",
      "windsurf user /home/dev/.codeium/windsurf/mcp_config.json",
      "windsurf user /home/dev/.codeium/mcp_config.json",
      "codex user /home/dev/.codex/config.toml",
      "codex project /home/dev/shop/.codex/config.toml",
      "gemini user /home/dev/.gemini/settings.json",
      "gemini project /home/dev/shop/.gemini/settings.json",
    ]);
  });

  test("knows the places on macOS", () => {
    const paths = pathsOn({ platform: "darwin", homedir: "/Users/dev", cwd: "/Users/dev/shop" });
    expect(paths).toContain(
      "claude-desktop user /Users/dev/Library/Application Support/Claude/claude_desktop_config.json",
    );
    expect(paths).toContain("vscode user /Users/dev/Library/Application Support/Code/User/mcp.json");
    expect(paths).toContain("windsurf user /Users/dev/.codeium/windsurf/mcp_config.json");
  });

  test("knows the places on Windows", () => {
    const windows = { platform: "win32", homedir: "C:\\Users\\dev", cwd: "D:\\shop" } as const;
    expect(pathsOn(windows)).toContain(
      "claude-desktop user C:\\Users\\dev\\AppData\\Roaming\\Claude\\claude_desktop_config.json",
    );
    const moved = pathsOn({ ...windows, env: { APPDATA: "E:\\Roaming" } });
    expect(moved).toContain("vscode user E:\\Roaming\\Code\\User\\mcp.json");
    expect(moved).toContain("claude project D:\\shop\\.mcp.json");
  });

  test("follows the variables that move a client's folder", () => {
    const env = { CLAUDE_CONFIG_DIR: "/c", CODEX_HOME: "/x", XDG_CONFIG_HOME: "/xdg" };
    const paths = pathsOn({ env });
    expect(paths).toContain("claude user /c/.claude.json");
    expect(paths).toContain("claude user /c/settings.json");
    expect(paths).toContain("codex user /x/config.toml");
    expect(paths).toContain("claude-desktop user /xdg/Claude/claude_desktop_config.json");
    expect(pathsOn({ env: { XDG_CONFIG_HOME: "relative" } })).toContain(
      "claude-desktop user /home/dev/.config/Claude/claude_desktop_config.json",
    );
  });

  test("lists a file once where the project folder is the home folder", () => {
    const paths = pathsOn({ cwd: "/home/dev" }).map((line) => line.slice(line.indexOf("/")));
    expect(new Set(paths).size).toBe(paths.length);
    expect(pathsOn({ cwd: "/home/dev" })).toContain("cursor user /home/dev/.cursor/mcp.json");
  });
});
