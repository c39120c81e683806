/**
 * What a change does to a file that is not ours, for a person to agree to. A neighbouring line may hold a token: known
 * values, values that look like credentials and values under the name of one are hidden.
 */
import { createTwoFilesPatch, OMIT_HEADERS } from "diff";
import { createRedactor, isSecretKey, REDACTED } from "../../text/redaction.ts";

export interface FileChange {
  readonly path: string;
  /** `undefined` where there is no file yet. */
  readonly before: string | undefined;
  readonly after: string;
  /** Values that must not be shown. */
  readonly secrets: readonly string[];
}

const CONTEXT_LINES = 3;
/** A file on one line is cut here. A short file is shown whole. */
const LINE_LENGTH_MAX = 2_000;

/** A unified diff without secrets. */
export function diffFile({ path, before, after, secrets }: FileChange): string {
  const hunks = createTwoFilesPatch("", "", before ?? "", after, undefined, undefined, {
    context: CONTEXT_LINES,
    headerOptions: OMIT_HEADERS,
  });
  const redactor = createRedactor(secrets);
  const lines = hunks.split("\n").map((line) => cut(redactor.text(hideNamed(line.replace(/\r$/, "")))));
  return `--- ${before === undefined ? "/dev/null" : path}\n+++ ${path}\n${lines.join("\n")}`;
}

/**
 * `"API_KEY": "value"` and `API_KEY = "value"`, also where the value is too short to be known by itself. A name is
 * tried from its beginning only, and is bounded, so that a long line takes no longer than it should.
 */
const NAMED = /(?<![\w.-])("?)([A-Za-z][\w.-]{0,80})\1(\s{0,8}[:=]\s{0,8})"((?:[^"\\]|\\.)*)"/g;

function hideNamed(line: string): string {
  return line.replace(NAMED, (whole, quote: string, name: string, colon: string, value: string) => {
    const isShown = value === "" || value.includes("$") || !isSecretKey(name);
    return isShown ? whole : `${quote}${name}${quote}${colon}"${REDACTED}"`;
  });
}

function cut(line: string): string {
  return line.length <= LINE_LENGTH_MAX
    ? line
    : `${line.slice(0, LINE_LENGTH_MAX)}… (${line.length} characters)`;
}
