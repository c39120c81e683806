/**
 * The files that count, as they are on disk now: their bytes, whether they are trusted, and a fingerprint of both.
 */
import { isAbsolute, relative } from "node:path";
import type { ConfigOrigin } from "../config.ts";
import { locateConfig, type LocateOptions, type Location } from "../locate.ts";
import type { ConfigProblem } from "../problem.ts";
import { readTextFile } from "./read-file.ts";
import { isTrusted } from "../trust.ts";

export interface LoadOptions extends LocateOptions {
  /** Reads a project file as if it were trusted: to show what trusting it would mean, or for `--yes`. */
  readonly assumeTrusted?: boolean;
  /** The value that is kept for an input. A file that is not trusted never gets one. */
  readonly readInput?: (id: string) => string | undefined;
}

/** One file as it is on disk. */
export interface FileText {
  readonly origin: ConfigOrigin;
  /** The file as the user would name it. */
  readonly file: string;
  /** Absent when it cannot be read. */
  readonly text?: string;
  readonly trusted: boolean;
  readonly problem?: ConfigProblem;
}

export interface ConfigText {
  readonly location: Location;
  /** The nearest first. */
  readonly files: readonly FileText[];
  readonly warnings: readonly ConfigProblem[];
  /** Equal for equal files in equal trust. */
  readonly fingerprint: string;
}

export function readConfigText(options: LoadOptions = {}): ConfigText {
  const location = locateConfig(options);
  const warnings: ConfigProblem[] = [];
  const files = location.files.map(({ kind, path }): FileText => {
    const file = displayPath(path, location.cwd);
    const read = readTextFile(path);
    const isOwn = kind !== "project" || options.assumeTrusted === true;
    if (!read.ok) {
      const { message, hint } = read;
      const problem = { file, path: "", message, hint };
      return { origin: { kind, path }, file, trusted: isOwn, problem };
    }
    const { sha256, text } = read;
    const trusted = isOwn || isTrusted(location.home, path, sha256, (warning) => warnings.push(warning));
    return { origin: { kind, path, sha256 }, file, text, trusted };
  });
  const marks = files.map(({ origin, trusted, problem }) => [
    origin.kind,
    origin.path,
    origin.sha256 ?? problem?.message,
    trusted,
  ]);
  return { location, files, warnings, fingerprint: JSON.stringify(marks) };
}

/** The texts that may name inputs and get their values. */
export function trustedTexts({ files }: ConfigText): string[] {
  return files.flatMap(({ trusted, text }) => (trusted ? (text ?? []) : []));
}

/** Relative inside the project folder, as a person would type it. */
function displayPath(path: string, cwd: string): string {
  const short = relative(cwd, path);
  return short === "" || short.startsWith("..") || isAbsolute(short) ? path : short;
}
