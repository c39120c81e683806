import { accessSync, constants, statSync } from "node:fs";
import { delimiter, resolve } from "node:path";
import type { NotStarted } from "./process-exit.ts";

export type CommandLookup =
  | { readonly kind: "found"; readonly file: string }
  | ({ readonly kind: "not_started" } & NotStarted);

/** Where a command looks for its program: the folder that it starts in, and its own PATH. */
interface CommandPlace {
  readonly cwd: string;
  readonly path: string;
}

/**
 * Finds the program of a command as execvp would, so that a command that cannot start says precisely why, and so that
 * what starts is an absolute path that no shell looks up again.
 */
export function findCommand(command: string, { cwd, path }: CommandPlace): CommandLookup {
  const cwdProblem = findFolderProblem(cwd);
  if (cwdProblem !== undefined) return { kind: "not_started", cause: "bad_folder", reason: cwdProblem };
  if (command === "") return { kind: "not_started", cause: "not_found", reason: "The command is empty." };
  if (command.includes("/")) return lookAt(resolve(cwd, command));
  return searchPath(command, path.split(delimiter), cwd);
}

function searchPath(command: string, folders: readonly string[], cwd: string): CommandLookup {
  let refused: CommandLookup | undefined;
  for (const folder of folders) {
    // An empty entry means the current folder, which here is the server's.
    const lookup = lookAt(resolve(cwd, folder, command));
    if (lookup.kind === "found") return lookup;
    if (lookup.exists) refused ??= lookup;
  }
  return refused ?? notFound(`Command not found (ENOENT): ${command} is not in PATH.`);
}

type FileLookup =
  | Extract<CommandLookup, { kind: "found" }>
  | (Extract<CommandLookup, { kind: "not_started" }> & { readonly exists: boolean });

function lookAt(file: string): FileLookup {
  try {
    if (statSync(file).isDirectory()) return notExecutable(`Not a program (EISDIR): ${file} is a folder.`);
    accessSync(file, constants.X_OK);
    return { kind: "found", file };
  } catch (error) {
    const code = codeOf(error);
    if (code === "EACCES")
      return notExecutable(
        `Not executable (EACCES): ${file}. Set its x bit, or start it through its interpreter.`,
      );
    return notFound(`Command not found (${code}): ${file}.`);
  }
}

function notFound(reason: string) {
  return { kind: "not_started", cause: "not_found", exists: false, reason } as const;
}

function notExecutable(reason: string) {
  return { kind: "not_started", cause: "not_executable", exists: true, reason } as const;
}

function findFolderProblem(cwd: string): string | undefined {
  try {
    if (!statSync(cwd).isDirectory()) return `The working folder is a file (ENOTDIR): ${cwd}.`;
    accessSync(cwd, constants.X_OK);
    return undefined;
  } catch (error) {
    return `The working folder cannot be entered (${codeOf(error)}): ${cwd}.`;
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? "unknown";
}
