/**
 * The clients whose config files are understood, and where those files are. It looks at names only: nothing is read,
 * and everything about the machine comes in as an argument.
 */
import { posix, win32 } from "node:path";
import { readVariable, type Environment } from "../config/locate.ts";

export const CLIENT_IDS = [
  "claude",
  "claude-desktop",
  "cursor",
  "vscode",
  "windsurf",
  "codex",
  "gemini",
] as const;
export type ClientId = (typeof CLIENT_IDS)[number];

/** What people call each client. */
export const CLIENT_TITLES: Readonly<Record<ClientId, string>> = {
  claude: "Claude Code",
  "claude-desktop": "Claude Desktop",
  cursor: "Cursor",
  vscode: "VS Code",
  windsurf: "Windsurf",
  codex: "Codex",
  gemini: "Gemini CLI",
};

/** The machine and the folder, as far as they decide where files are and what texts mean. */
export interface ClientPlace {
  readonly platform: NodeJS.Platform;
  readonly env: Environment;
  readonly homedir: string;
  readonly cwd: string;
}

/** A file that a client would read, whether or not it exists. */
export interface ClientFile {
  readonly client: ClientId;
  /** Whether it counts everywhere or in the project folder only. */
  readonly scope: "user" | "project";
  readonly path: string;
  readonly format: "jsonc" | "toml";
}

/** The names under which VS Code and its variants keep their folder. */
const VSCODE_FOLDERS = ["Code", "Code - Insiders", "VSCodium"] as const;

/** Every file that would count; the first of each client and scope is the one that the client itself writes. */
export function listClientFiles(place: ClientPlace): ClientFile[] {
  const path = pathOf(place.platform);
  const seen = new Set<string>();
  return CLIENT_IDS.flatMap((client) => {
    const { user, project } = FILES[client](place, path);
    const format = client === "codex" ? "toml" : "jsonc";
    const inProject = project.map((parts) => path.join(place.cwd, ...parts));
    return [
      ...user.map((file): ClientFile => ({ client, scope: "user", path: file, format })),
      ...inProject.map((file): ClientFile => ({ client, scope: "project", path: file, format })),
    ];
    // In the home folder, what would be the project's file is the user's own.
  }).filter((file) => !seen.has(file.path) && seen.add(file.path));
}

/** How paths are written on a platform. */
export function pathOf(platform: NodeJS.Platform): typeof posix {
  return platform === "win32" ? win32 : posix;
}

/** Whether a folder is the project folder or one that it is in. */
export function isAtOrAbove(folder: string, place: ClientPlace): boolean {
  const path = pathOf(place.platform);
  if (!path.isAbsolute(folder)) return false;
  const way = path.relative(folder, place.cwd);
  return way === "" || !(way === ".." || way.startsWith(`..${path.sep}`) || path.isAbsolute(way));
}

interface Files {
  readonly user: readonly string[];
  /** Below the project folder. */
  readonly project: readonly (readonly string[])[];
}

const FILES: Readonly<Record<ClientId, (place: ClientPlace, path: typeof posix) => Files>> = {
  claude: (place, path) => {
    const folder = folderFrom(place, "CLAUDE_CONFIG_DIR");
    return {
      user: [
        path.join(folder ?? place.homedir, ".claude.json"),
        path.join(folder ?? path.join(place.homedir, ".claude"), "settings.json"),
      ],
      project: [[".mcp.json"], [".claude", "settings.json"], [".claude", "settings.local.json"]],
    };
  },
  "claude-desktop": (place, path) => ({
    user: [path.join(applicationFolder(place), "Claude", "claude_desktop_config.json")],
    project: [],
  }),
  cursor: (place, path) => ({
    user: [path.join(place.homedir, ".cursor", "mcp.json")],
    project: [[".cursor", "mcp.json"]],
  }),
  vscode: (place, path) => ({
    user: VSCODE_FOLDERS.flatMap((name) =>
      ["mcp.json", "settings.json"].map((file) => path.join(applicationFolder(place), name, "User", file)),
    ),
    project: [
      [".vscode", "mcp.json"],
      [".vscode", "settings.json"],
    ],
  }),
  windsurf: (place, path) => ({
    user: [
      path.join(place.homedir, ".codeium", "windsurf", "mcp_config.json"),
      path.join(place.homedir, ".codeium", "mcp_config.json"),
    ],
    project: [],
  }),
  codex: (place, path) => ({
    user: [path.join(folderFrom(place, "CODEX_HOME") ?? path.join(place.homedir, ".codex"), "config.toml")],
    project: [[".codex", "config.toml"]],
  }),
  gemini: (place, path) => ({
    user: [path.join(place.homedir, ".gemini", "settings.json")],
    project: [[".gemini", "settings.json"]],
  }),
};

/** Where desktop programs keep the settings of a user. */
function applicationFolder(place: ClientPlace): string {
  const path = pathOf(place.platform);
  if (place.platform === "darwin") return path.join(place.homedir, "Library", "Application Support");
  const [variable, otherwise] =
    place.platform === "win32"
      ? ["APPDATA", path.join(place.homedir, "AppData", "Roaming")]
      : ["XDG_CONFIG_HOME", path.join(place.homedir, ".config")];
  const chosen = readVariable(place.env, variable);
  return chosen !== undefined && path.isAbsolute(chosen) ? chosen : otherwise;
}

function folderFrom(place: ClientPlace, variable: string): string | undefined {
  const chosen = readVariable(place.env, variable);
  if (chosen === undefined || chosen === "") return undefined;
  return pathOf(place.platform).resolve(place.cwd, chosen);
}
