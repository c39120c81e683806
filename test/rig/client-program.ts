/** Programs of others that are MCP clients, run to their end with nothing of this machine but the path. */
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { environmentOf } from "../fixtures/gateway-process.ts";

/** Only a program that hangs needs so long; what it started ends with its stdin. */
const LIMIT_MS = 40_000;

export interface ProgramEnd {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The file that a package's command runs. */
export function programOf(packageName: string, command: string): string {
  const manifest = findManifest(packageName);
  const { bin } = JSON.parse(readFileSync(manifest, "utf8")) as { bin: Record<string, string> };
  return join(dirname(manifest), bin[command]!);
}

/** Not every package lets its manifest be imported. */
function findManifest(packageName: string): string {
  const folders = createRequire(import.meta.url).resolve.paths(packageName)!;
  return folders.map((folder) => join(folder, packageName, "package.json")).find(existsSync)!;
}

/** Runs a Node program in a folder that is its home too. */
export function runProgram(program: string, args: readonly string[], folder: string): Promise<ProgramEnd> {
  const options = {
    cwd: folder,
    env: environmentOf(folder),
    timeout: LIMIT_MS,
    killSignal: "SIGKILL",
  } as const;
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [program, ...args], options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
      resolve({ code, stdout, stderr });
    });
    child.stdin?.end();
  });
}
