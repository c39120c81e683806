/**
 * One page of a list that is sorted by URI. The cursor says behind which URI it goes on, so that what comes and goes
 * between two pages hides nothing else, and no page is kept for anybody.
 */
import { parseJson, type JsonObject } from "../../core/json.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import { compareText } from "../../text/compare-text.ts";

/** Each entry of a skill is about 500 bytes, and the largest a hundred times as much. */
const PAGE_COUNT_MAX = 100;

export interface ListedPage {
  readonly uris: readonly string[];
  readonly nextCursor?: string;
}

export function pageOf(all: readonly string[], cursor: unknown): ToolResult<ListedPage> {
  const after = cursor === undefined ? "" : readCursor(cursor);
  if (after === undefined)
    return fail("TOOL_INVALID_INPUT", "Unknown cursor.", {
      field: "cursor",
      hint: "Send nextCursor of an earlier page as it came, or no cursor for the first page.",
    });
  const left = [...new Set(all)].sort(compareText).filter((uri) => compareText(uri, after) > 0);
  const uris = left.slice(0, PAGE_COUNT_MAX);
  if (left.length === uris.length) return succeed({ uris });
  return succeed({ uris, nextCursor: writeCursor(uris.at(-1)!) });
}

function writeCursor(after: string): string {
  return Buffer.from(JSON.stringify({ after })).toString("base64url");
}

function readCursor(cursor: unknown): string | undefined {
  if (typeof cursor !== "string") return undefined;
  const parsed = parseJson(Buffer.from(cursor, "base64url").toString());
  const after = parsed.ok ? (parsed.value as JsonObject | null)?.["after"] : undefined;
  return typeof after === "string" && writeCursor(after) === cursor ? after : undefined;
}
