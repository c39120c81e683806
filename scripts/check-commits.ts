/**
 * `npm run check:commits [RANGE]`: whether each commit is about one thing and says why. It warns and exits with 0;
 * `--strict` exits with 1. Without a range it reads the commits since the newest tag, or the last 50.
 */
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";

/** What a reviewer reads in one sitting. */
const CHANGED_LINES_MAX = 400;
/** A change has a room that it is about, and may need a line or two in another. */
const ROOM_COUNT_MAX = 2;
const COMMIT_COUNT_DEFAULT = 50;
/** Programs write these. */
const GENERATED = /^(?:package-lock\.json|schema\/.*|docs\/(?:cli|configuration)\.md)$/;

interface Commit {
  readonly hash: string;
  readonly subject: string;
  readonly body: string;
  readonly files: readonly ChangedFile[];
}

interface ChangedFile {
  readonly path: string;
  readonly lineCount: number;
}

const { values, positionals } = parseArgs({
  options: { strict: { type: "boolean", default: false } },
  allowPositionals: true,
});

const hashes = git("rev-list", "--no-merges", ...rangeOf(positionals[0]))
  .split("\n")
  .filter((hash) => hash !== "");
const warned = hashes.map(readCommit).flatMap((commit) => {
  const warnings = warningsOf(commit);
  return warnings.length === 0 ? [] : [{ commit, warnings }];
});
for (const { commit, warnings } of warned) {
  console.log(`${commit.hash.slice(0, 8)} ${commit.subject}`);
  for (const warning of warnings) console.log(`  ${warning}`);
}
console.log(`commits: ${hashes.length}, with a warning: ${warned.length}`);
process.exitCode = values.strict && warned.length > 0 ? 1 : 0;

function rangeOf(given: string | undefined): string[] {
  if (given !== undefined) return [given];
  const { status, stdout } = spawnSync("git", ["describe", "--tags", "--abbrev=0"], { encoding: "utf8" });
  return status === 0 ? [`${stdout.trim()}..HEAD`] : ["-n", String(COMMIT_COUNT_DEFAULT), "HEAD"];
}

function readCommit(hash: string): Commit {
  const [subject = "", body = ""] = git("show", "--no-patch", "--format=%s%x00%b", hash).split("\0");
  return { hash, subject, body, files: changedFiles(hash) };
}

/** A rename has an empty path in its row, and the old and the new one after it. */
function changedFiles(hash: string): ChangedFile[] {
  const fields = git("show", "--format=", "--numstat", "--find-renames", "-z", hash).split("\0");
  const files: ChangedFile[] = [];
  for (let i = 0; i < fields.length; i++) {
    const [added, removed, path] = fields[i]!.trim().split("\t");
    if (removed === undefined) continue;
    // Of a binary file git counts no lines and writes "-".
    const lineCount = (Number(added) || 0) + (Number(removed) || 0);
    files.push({ path: path === undefined || path === "" ? fields[(i += 2)]! : path, lineCount });
  }
  return files;
}

function warningsOf({ subject, body, files }: Commit): string[] {
  const written = files.filter(({ path, lineCount }) => lineCount > 0 && !GENERATED.test(path));
  const lineCount = written.reduce((sum, file) => sum + file.lineCount, 0);
  const rooms = [...new Set(written.flatMap(({ path }) => roomOf(path) ?? []))].sort();
  const warnings: string[] = [];
  if (lineCount > CHANGED_LINES_MAX) {
    warnings.push(`${lineCount} changed lines, more than ${CHANGED_LINES_MAX}: split it`);
  }
  if (rooms.length > ROOM_COUNT_MAX) {
    warnings.push(
      `${rooms.length} rooms (${rooms.join(", ")}), more than ${ROOM_COUNT_MAX}: one thing to a commit`,
    );
  }
  if (/^(?:feat|fix)\b/.test(subject) && withoutSignatures(body) === "") {
    warnings.push("no body: say why");
  }
  return warnings;
}

/** The folder below `src/`; files beside the folders are the room `src`. */
function roomOf(path: string): string | undefined {
  const [top, room, ...rest] = path.split("/");
  if (top !== "src" || room === undefined) return undefined;
  return rest.length === 0 ? "src" : room;
}

function withoutSignatures(body: string): string {
  return body.replaceAll(/^(?:Signed-off-by|Co-authored-by):.*$/gim, "").trim();
}

function git(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync("git", args, {
    encoding: "utf8",
    maxBuffer: 256 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`git ${args.join(" ")} failed: ${stderr.trim()}`);
  return stdout;
}
