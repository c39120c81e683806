/**
 * How this very program is started, from any folder, by a program that knows nothing of this shell. A client with
 * windows has a PATH of its own, often without `repertoire` or with an older Node, so both Node and the script are
 * named by their full paths.
 *
 * A script in the cache of npx may be gone tomorrow. Then npx itself is named, which downloads it again where it has
 * to.
 */
import { accessSync, constants, realpathSync } from "node:fs";
import { posix, sep, win32 } from "node:path";

export interface OwnProcess {
  readonly platform: NodeJS.Platform;
  /** The script, as `process.argv[1]` has it. */
  readonly script: string;
  readonly execPath: string;
  /** `PATH`. */
  readonly searchPath: string | undefined;
  /** Where links lead to; `undefined` for what is not there or cannot be read. */
  readonly realPathOf: (path: string) => string | undefined;
}

export interface OwnCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** Variables that the command needs where PATH is as a desktop has it. */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * `cache`: the script is in a folder that a package runner may clear. `npx`: the same, and the command downloads it
   * again.
   */
  readonly lives: "installed" | "cache" | "npx";
}

const PACKAGE = "repertoire";
/** Folders that are in PATH for the time of one command only. */
const PASSING_FOLDER = /[\\/](?:node_modules[\\/]\.bin|node-gyp-bin)[\\/]?$/;
const RUNNER_CACHE = /[\\/](?:_npx|dlx(?:-[^\\/]*)?)[\\/]/;
/** In the PATH of every desktop. */
const DESKTOP_FOLDERS: ReadonlySet<string> = new Set(["/usr/bin", "/bin"]);

/** Node and the script, both in full; npx in full where the script is in a cache. */
export function findOwnCommand(own: OwnProcess): OwnCommand {
  const script = findOwnScript(own);
  if (!RUNNER_CACHE.test(script)) return { command: own.execPath, args: [script], lives: "installed" };
  return findNpx(own) ?? { command: own.execPath, args: [script], lives: "cache" };
}

/** The script that runs now, wherever it is. */
export function findOwnScript({ script, realPathOf }: OwnProcess): string {
  return realPathOf(script) ?? script;
}

/**
 * The npx that belongs to this Node, else the first of PATH. Its own first line asks PATH for `node`, so PATH has to
 * lead there.
 */
function findNpx(own: OwnProcess): OwnCommand | undefined {
  const { platform, execPath, realPathOf } = own;
  const words = ["-y", PACKAGE];
  if (platform === "win32") {
    // `npx.cmd` is a batch file, which a client cannot start without a shell.
    const script = win32.join(win32.dirname(execPath), "node_modules", "npm", "bin", "npx-cli.js");
    return realPathOf(script) === undefined
      ? undefined
      : { command: execPath, args: [script, ...words], lives: "npx" };
  }
  const folders = lastingFolders(own);
  const nodeFolder = posix.dirname(execPath);
  const command = [nodeFolder, ...folders]
    .map((folder) => posix.join(folder, "npx"))
    .find((path) => realPathOf(path) !== undefined);
  if (command === undefined) return undefined;
  const found = { command, args: words, lives: "npx" } as const;
  if (DESKTOP_FOLDERS.has(nodeFolder)) return found;
  const path = [...new Set([nodeFolder, ...folders, ...DESKTOP_FOLDERS])].join(posix.delimiter);
  return { ...found, env: { PATH: path } };
}

/** Of PATH, without those that mean something else in another folder or after this command. */
function lastingFolders({ searchPath }: OwnProcess): string[] {
  return (searchPath ?? "")
    .split(posix.delimiter)
    .filter(
      (folder) => posix.isAbsolute(folder) && !PASSING_FOLDER.test(folder) && !RUNNER_CACHE.test(folder),
    );
}

/**
 * What a person types in this folder to start this very program: the bare name where PATH leads to it, `npx repertoire`
 * where npx finds it from here (a checkout, a project that has it installed, npx itself), else Node and the script.
 */
export function typedCommand(own: OwnProcess, cwd: string): string {
  const script = findOwnScript(own);
  if (own.platform !== "win32" && isOnPath(own, script)) return PACKAGE;
  if (RUNNER_CACHE.test(script) || isWithinProject(script, cwd)) return `npx ${PACKAGE}`;
  return `${own.execPath} ${script}`;
}

/** The first of that name counts, as in a shell. */
function isOnPath(own: OwnProcess, script: string): boolean {
  const named = lastingFolders(own).map((folder) => own.realPathOf(posix.join(folder, PACKAGE)));
  return named.find((path) => path !== undefined) === script;
}

/** Whether the script belongs to the project that the folder is in: to its packages, or to a checkout of our own. */
function isWithinProject(script: string, cwd: string): boolean {
  const project = script.replace(/[\\/]node_modules[\\/].*$|[\\/]dist[\\/][^\\/]*$/, "");
  return project !== script && (cwd === project || cwd.startsWith(`${project}${sep}`));
}

/** This process. */
export function ownProcess(): OwnProcess {
  return {
    platform: process.platform,
    script: process.argv[1] ?? "",
    execPath: process.execPath,
    searchPath: process.env["PATH"],
    realPathOf(path) {
      try {
        accessSync(path, constants.R_OK);
        return realpathSync(path);
      } catch {
        return undefined;
      }
    },
  };
}
