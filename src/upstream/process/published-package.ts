/** What the registry of npm says of a package, asked through the user's own npm: with its registry, login and proxies. */
import { execFile } from "node:child_process";
import { isJsonObject, parseJson } from "../../core/json.ts";
import { childEnvironment } from "./server-process.ts";

export type PublishedPackage =
  | { readonly kind: "published"; readonly version: string; readonly integrity: string }
  /** There is no such package or version. */
  | { readonly kind: "absent" }
  /** Nothing was found out: npm is not there, or its registry does not answer. */
  | { readonly kind: "unknown"; readonly reason: string };

export interface PackageQuestion {
  readonly name: string;
  /** A version, a range or a tag; without it, the newest. */
  readonly version?: string | undefined;
  /** The variables of the server, over those that every server gets. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string | undefined;
}

/** A registry that answers does so in a second or two; a start does not wait longer for one that does not. */
const ASK_MS = 10_000;
const ANSWER_BYTES_MAX = 1024 * 1024;
/** Neither can be taken for a flag, an address or a path. */
const NAME = /^(?:@[a-z0-9~][a-z0-9._~-]{0,100}\/)?[a-z0-9~][a-z0-9._~-]{0,100}$/i;
const VERSION = /^[0-9a-z^~<>=*x.+ |-]{1,100}$/i;

/** Never rejects. */
export function askRegistry(question: PackageQuestion): Promise<PublishedPackage> {
  const { name, version = "latest", env = {}, cwd } = question;
  if (!NAME.test(name) || !VERSION.test(version))
    return Promise.resolve({ kind: "unknown", reason: `${JSON.stringify(name)} is no name of a package` });
  const args = ["view", `${name}@${version}`, "version", "dist.integrity", "--json", "--fetch-retries=0"];
  const options = {
    env: childEnvironment(env),
    ...(cwd !== undefined && { cwd }),
    timeout: ASK_MS,
    maxBuffer: ANSWER_BYTES_MAX,
  };
  return new Promise((resolve) => {
    execFile("npm", args, options, (error, stdout) => resolve(readAnswer(stdout, error)));
  });
}

function readAnswer(stdout: string, error: Error | null): PublishedPackage {
  const parsed = parseJson(stdout);
  const value: unknown = parsed.ok ? parsed.value : undefined;
  // Of several versions that fit a range, the last is the newest.
  const found: unknown = Array.isArray(value) ? value.at(-1) : value;
  if (isJsonObject(found) && isJsonObject(found["error"])) {
    const { code } = found["error"];
    if (code === "E404" || code === "ETARGET") return { kind: "absent" };
    return { kind: "unknown", reason: `npm view says ${JSON.stringify(code)}` };
  }
  const read = error === null ? readPublished(found) : undefined;
  if (read !== undefined) return read;
  // A version that is not there is no error of npm, and no answer.
  if (error === null && stdout.trim() === "") return { kind: "absent" };
  return { kind: "unknown", reason: reasonOf(error) };
}

function readPublished(found: unknown): PublishedPackage | undefined {
  if (!isJsonObject(found)) return undefined;
  const { version, "dist.integrity": integrity } = found;
  if (typeof version !== "string" || typeof integrity !== "string") return undefined;
  return { kind: "published", version, integrity };
}

function reasonOf(error: Error | null): string {
  if (error === null) return "npm view gave no version with an integrity";
  if ("code" in error && error.code === "ENOENT") return "npm is not in PATH";
  return "killed" in error && error.killed === true
    ? `npm view did not answer within ${ASK_MS / 1000} s`
    : "npm view failed";
}
