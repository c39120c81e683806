/** The files of our own programs that run outside the gateway's thread: workers and the sandbox's process. */
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Each with its source below `src/`. The bundle makes one file of each and puts it at its top. */
export const PROGRAMS = {
  runner: "sandbox/runner/runner.ts",
  "analysis-worker": "sandbox/analysis/analysis-worker.ts",
  "schema-worker": "sandbox/schema/schema-worker.ts",
  "token-worker": "search/tokens/token-worker.ts",
  "openapi-worker": "openapi/reading/openapi-worker.ts",
  "jq-worker": "cli/terminal/jq-worker.ts",
  relay: "process/isolation/relay.ts",
} as const;

/** Beside the bundle of the runner: the memory of a VM that has run nothing yet. */
export const GUEST_TEMPLATE = "guest-template.bin";

export type ProgramName = keyof typeof PROGRAMS;

const FILE = fileURLToPath(import.meta.url);
const FOLDER = dirname(FILE);
/** Node runs the source as it is. */
export const IS_SOURCE = FILE.endsWith(".ts");

/** The file of a program: its source, or its bundle, which lies above the chunks. */
export function programFile(name: ProgramName): string {
  return IS_SOURCE ? join(sourceFolder(), PROGRAMS[name]) : join(programFolder(), bundleName(name));
}

/** The folder of the bundle, also for what was built beside it; of a checkout, where the next build puts it. */
export function programFolder(): string {
  if (IS_SOURCE) return join(sourceFolder(), "../dist");
  return basename(FOLDER) === "chunks" ? dirname(FOLDER) : FOLDER;
}

/**
 * Programs that run where no other file of ours can be read, so that each is one file whose name tells Node without a
 * package.json what it is.
 */
const LONE_PROGRAMS = ["runner", "relay"] as const satisfies readonly ProgramName[];

function bundleName(name: ProgramName): string {
  return LONE_PROGRAMS.some((lone) => lone === name) ? `${name}.mjs` : `${name}.js`;
}

/** The folder of this checkout's sources; only where `IS_SOURCE`. */
export function sourceFolder(): string {
  return dirname(FOLDER);
}
