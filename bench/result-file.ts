/**
 * Results of benches as files: `--json FILE` of a bench writes its figures there, with what they were measured on. A figure
 * without its commit, machine and load says nothing. `npm run claims` reads those in bench/results.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");

export interface BenchResult {
  readonly name: string;
  /** As it was typed, without paths. */
  readonly command: string;
  /** Null outside of a checkout. */
  readonly commit: string | null;
  /** Whether files differed from the commit, results aside. */
  readonly dirty: boolean;
  readonly date: string;
  readonly node: string;
  readonly cores: number;
  readonly cpu: string;
  readonly memoryGb: number;
  /** Over a minute, at the start of the bench: on a busy machine times are longer, ratios less so. */
  readonly load: number;
  readonly figures: unknown;
}

// When the bench is loaded, before it makes load of its own.
const LOAD_AT_START = loadavg()[0]!;

/** The file that `--json FILE` names; undefined without one, also where `--json` is alone. */
export function resultFileOf(args: readonly string[]): string | undefined {
  const at = args.indexOf("--json");
  const file = at === -1 ? undefined : args[at + 1];
  return file?.startsWith("-") === true ? undefined : file;
}

/** The words of a command without `--json` and its file. */
export function argsWithoutResult(args: readonly string[]): string[] {
  const file = resultFileOf(args);
  const at = args.indexOf("--json");
  return at === -1 ? [...args] : args.toSpliced(at, file === undefined ? 1 : 2);
}

/** Writes what `--json FILE` asks for; nothing where it is not asked. */
export function writeResult(
  name: string,
  figures: unknown,
  args: readonly string[] = process.argv.slice(2),
): void {
  const file = resultFileOf(args);
  if (file === undefined) return;
  const result: BenchResult = {
    name,
    command: commandOf(argsWithoutResult(args)),
    ...commitOf(),
    date: new Date().toISOString(),
    node: process.version,
    cores: cpus().length,
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    memoryGb: Math.round(totalmem() / 1024 ** 3),
    load: Math.round(LOAD_AT_START * 10) / 10,
    figures,
  };
  writeFileSync(file, `${JSON.stringify(result, undefined, 2)}\n`);
}

export function readResult(file: string): BenchResult {
  return JSON.parse(readFileSync(file, "utf8")) as BenchResult;
}

/** A path is of the machine that measured, and says nothing to others. */
function commandOf(args: readonly string[]): string {
  const script = process.env["npm_lifecycle_event"];
  const words = args.map((word) => (word.includes("/") ? "…" : word));
  const run = script === undefined ? "node bench/…" : `npm run ${script}`;
  return words.length === 0 ? run : `${run}${script === undefined ? "" : " --"} ${words.join(" ")}`;
}

function commitOf(): Pick<BenchResult, "commit" | "dirty"> {
  const git = (...args: string[]) => spawnSync("git", args, { cwd: ROOT, encoding: "utf8" });
  const head = git("rev-parse", "--short=10", "HEAD");
  if (head.status !== 0) return { commit: null, dirty: false };
  const changed = git(
    "status",
    "--porcelain",
    "--",
    ".",
    ":!bench/results",
    ":!README.md",
    ":!docs/numbers.md",
  );
  return { commit: head.stdout.trim(), dirty: changed.stdout.trim() !== "" };
}
