import { fail } from "../../core/result.ts";
import { showName } from "../shown.ts";

export function errnoOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "";
}

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or folder",
  ENOTDIR: "a part of the path is a file and not a folder",
  EISDIR: "it is a folder and not a file",
  EACCES: "the gateway may not open it",
  EPERM: "the system does not permit it",
  EROFS: "the disk is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the quota of the disk is used up",
  ENAMETOOLONG: "the name is too long",
  EMFILE: "too many files are open",
  ENXIO: "it is not a regular file",
};

/** Later there may be room on the disk, or descriptors. */
const PASSING: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EMFILE", "ENFILE", "EAGAIN", "EBUSY"]);

/** The system's own message names the path as it was opened, which callers need not know, so it is not repeated. */
export function fileFailure(verb: "read" | "write", path: string, error: unknown): ReturnType<typeof fail> {
  const code = errnoOf(error);
  // A link in a place where there was none a moment ago.
  if (code === "ELOOP") return movedFailure(path);
  const why = Object.hasOwn(WORDS, code)
    ? WORDS[code]
    : `the system refused it${code === "" ? "" : ` (${code})`}`;
  return fail("TOOL_EXECUTION_FAILED", `Cannot ${verb} ${showName(path)}: ${why}.`, {
    retryable: PASSING.has(code),
    ...(code === "ENOENT" ? { reason: "not_found" } : {}),
  });
}

/** The path did not lead where it led when it was checked. */
export function movedFailure(path: string): ReturnType<typeof fail> {
  return fail(
    "SECURITY_ERROR",
    `The path ${showName(path)} changed while it was being opened, so it was left alone.`,
    {
      hint: "Something else renames files or makes symbolic links there. Try again when it is done.",
    },
  );
}

export function irregularFailure(verb: "read" | "write", path: string): ReturnType<typeof fail> {
  return fail("TOOL_EXECUTION_FAILED", `Cannot ${verb} ${showName(path)}: it is not a regular file.`);
}

/**
 * Its other name may be outside of the open folders, and there is no way to tell. Replacing such a file is harmless:
 * the other name keeps the old one.
 */
export function linkedFailure(verb: "read" | "write", path: string): ReturnType<typeof fail> {
  return fail(
    "SECURITY_ERROR",
    `Cannot ${verb} ${showName(path)}: it is a hard link: the same file has another name.`,
    {
      field: "path",
      hint: "Make a copy of it in the folder, and use that.",
    },
  );
}
