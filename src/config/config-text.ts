/**
 * The file that counts, as it is on disk now: its bytes, whether they are trusted, and a fingerprint of both.
 */
import { isAbsolute, relative } from "node:path";
import type { ConfigOrigin } from "./config.ts";
import { locateConfig, type LocateOptions, type Location } from "./locate.ts";
import type { Problem } from "./problem.ts";
import { readTextFile } from "./read-file.ts";
import { isTrusted } from "./trust.ts";

export interface LoadOptions extends LocateOptions {
  /** Reads a project file as if it were trusted: to show what trusting it would mean, or for `--yes`. */
  readonly assumeTrusted?: boolean;
  /** The value that is kept for an input. A file that is not trusted is never told one. */
  readonly readInput?: (id: string) => string | undefined;
}

export interface ConfigText {
  readonly location: Location;
  readonly origin: ConfigOrigin;
  /** The file as the user would name it. */
  readonly file: string;
  /** Absent when there is no file, or it cannot be read. */
  readonly text?: string;
  readonly trusted: boolean;
  readonly problem?: Problem;
  readonly warnings: readonly Problem[];
  /** Equal for equal files in equal trust. */
  readonly fingerprint: string;
}

export function readConfigText(options: LoadOptions = {}): ConfigText {
  const location = locateConfig(options);
  const { path, kind } = location.origin;
  const base = { location, origin: location.origin, file: "", warnings: [] };
  if (path === undefined) return { ...base, trusted: true, fingerprint: kind };
  const file = displayPath(path, location.cwd);
  const read = readTextFile(path);
  if (!read.ok) {
    const { message, hint } = read;
    const problem = { file, path: "", message, ...(hint === undefined ? {} : { hint }) };
    return { ...base, file, trusted: false, problem, fingerprint: JSON.stringify([kind, path, message]) };
  }
  const warnings: Problem[] = [];
  const { sha256, text } = read;
  const trusted =
    kind !== "project" ||
    options.assumeTrusted === true ||
    isTrusted(location.home, path, sha256, (warning) => warnings.push(warning));
  const fingerprint = JSON.stringify([kind, path, sha256, trusted]);
  return { location, origin: { kind, path, sha256 }, file, text, trusted, warnings, fingerprint };
}

/** Relative inside the project folder, as a person would type it. */
function displayPath(path: string, cwd: string): string {
  const short = relative(cwd, path);
  return short === "" || short.startsWith("..") || isAbsolute(short) ? path : short;
}
