/**
 * Which file, and which home. It looks at names only: nothing is read, and only a data file is ever looked for.
 */
import { lstatSync } from "node:fs";
import { homedir } from "node:os";
import { posix, win32 } from "node:path";
import type { ConfigOrigin } from "./config.ts";

const CONFIG_FILE_NAME = "repertoire.json";
const FOLDER_NAME = "repertoire";

/** What a caller may decide; the rest comes from the process. */
export interface LocateOptions {
  /** `--config`: this file and no other. */
  readonly configPath?: string | undefined;
  /** `--home`. */
  readonly home?: string | undefined;
  /** The project folder. */
  readonly cwd?: string;
  readonly env?: Environment;
  readonly homedir?: string;
  readonly platform?: NodeJS.Platform;
}

export type Environment = Readonly<Record<string, string | undefined>>;

interface LocatedFile {
  readonly kind: Exclude<ConfigOrigin["kind"], "none">;
  readonly path: string;
}

/** Where to read and where to keep. `candidates` are the files that would count if they existed, the nearest first. */
export interface Location {
  /** The nearest file that is there. */
  readonly origin: Omit<ConfigOrigin, "sha256">;
  /** All that are there, the nearest first. */
  readonly files: readonly LocatedFile[];
  readonly home: string;
  readonly cwd: string;
  readonly candidates: readonly string[];
}

export function locateConfig(options: LocateOptions = {}): Location {
  const platform = options.platform ?? process.platform;
  const place: Place = {
    path: platform === "win32" ? win32 : posix,
    windows: platform === "win32",
    env: options.env ?? process.env,
    homedir: options.homedir ?? homedir(),
    cwd: options.cwd ?? process.cwd(),
  };
  const home = homeOf(place, options.home);
  const { cwd } = place;
  if (options.configPath !== undefined) {
    const path = place.path.resolve(cwd, options.configPath);
    const file = { kind: "flag", path } as const;
    return { origin: file, files: [file], home, cwd, candidates: [path] };
  }
  const project = place.path.join(cwd, CONFIG_FILE_NAME);
  const user = place.path.join(userFolderOf(place), CONFIG_FILE_NAME);
  const candidates = [project, user];
  // Someone who works inside the user's config folder sees the user's own file, not that of a project.
  const isProject = project !== user && isThere(project);
  const files: LocatedFile[] = [
    ...(isProject ? [{ kind: "project", path: project } as const] : []),
    ...(isThere(user) ? [{ kind: "user", path: user } as const] : []),
  ];
  return { origin: files[0] ?? { kind: "none" }, files, home, cwd, candidates };
}

interface Place {
  readonly path: typeof posix;
  readonly windows: boolean;
  readonly env: Environment;
  readonly homedir: string;
  readonly cwd: string;
}

function userFolderOf(place: Place): string {
  const { path, homedir: user } = place;
  const base = place.windows
    ? folderFrom(place, "APPDATA", path.join(user, "AppData", "Roaming"))
    : folderFrom(place, "XDG_CONFIG_HOME", path.join(user, ".config"));
  return path.join(base, FOLDER_NAME);
}

function homeOf(place: Place, option: string | undefined): string {
  const { path, homedir: user } = place;
  const chosen = option ?? (readVariable(place.env, "REPERTOIRE_HOME") || undefined);
  if (chosen !== undefined) return path.resolve(place.cwd, chosen);
  const base = place.windows
    ? folderFrom(place, "LOCALAPPDATA", path.join(user, "AppData", "Local"))
    : folderFrom(place, "XDG_DATA_HOME", path.join(user, ".local", "share"));
  return path.join(base, FOLDER_NAME);
}

/** The XDG specification: a relative path in one of its variables is ignored. */
function folderFrom(place: Place, variable: string, otherwise: string): string {
  const value = readVariable(place.env, variable);
  return value !== undefined && place.path.isAbsolute(value) ? value : otherwise;
}

/** Reads an own property only, so that `__proto__` and `constructor` are unset. */
export function readVariable(env: Environment, name: string): string | undefined {
  return Object.hasOwn(env, name) ? env[name] : undefined;
}

/** Also true for a dangling link or a folder: the person who put it there wants to know why it is not read. */
function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    return code !== "ENOENT" && code !== "ENOTDIR";
  }
}
