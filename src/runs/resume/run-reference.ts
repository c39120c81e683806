/**
 * A run by a part of its id, as git takes a part of a hash. An id begins with the time and ends in random digits, so
 * the end tells runs apart and the beginning hardly does; both are taken.
 */
import type { Scope } from "../../core/names.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { RunStarter, RunStore, RunSummary } from "../../core/store.ts";
import { quote } from "../../text/quote.ts";

export interface RunReferenceDeps {
  readonly store: {
    readonly list: (...asked: Parameters<RunStore["list"]>) => Promise<readonly Pick<RunSummary, "id">[]>;
  };
  readonly scope: () => Scope;
}

const RUN_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Shorter parts are typing mistakes more often than ids. */
const PART_LENGTH_MIN = 4;
const PART = /^[0-9a-f-]{4,36}$/;
/** How many an error names. */
const NAMED_MAX = 5;

/**
 * The id of the run that a whole id or a part of one names; only among the runs of `starter`, if given. A whole id is
 * not looked up.
 */
export async function findRunByReference(
  { store, scope }: RunReferenceDeps,
  written: string,
  starter?: RunStarter,
): Promise<ToolResult<string>> {
  const reference = written.toLowerCase();
  if (RUN_ID.test(reference)) return succeed(reference);
  if (!PART.test(reference)) return notFound(written);
  const found = await store.list(scope(), {
    limit: NAMED_MAX + 1,
    idPart: reference,
    children: true,
    starter,
  });
  const [only, another] = found;
  if (only === undefined) return notFound(written);
  if (another === undefined) return succeed(only.id);
  const ids = found.slice(0, NAMED_MAX).map(({ id }) => id);
  const more = found.length > NAMED_MAX ? ", …" : "";
  return fail("TOOL_INVALID_INPUT", `Several runs are meant by ${written}: ${ids.join(", ")}${more}.`, {
    field: "run",
    reason: "ambiguous",
    nearest: ids,
    hint: "Give more of the id; its end tells runs apart.",
  });
}

function notFound(written: string): ToolResult<never> {
  const isShort = written.length < PART_LENGTH_MIN;
  return fail("TOOL_NOT_FOUND", `There is no run ${quote(written)}.`, {
    field: "run",
    hint: isShort
      ? `Give the id of a run, or at least ${PART_LENGTH_MIN} characters of its beginning or end.`
      : "repertoire runs lists the runs, over MCP repertoire://runs.",
  });
}

/** As short as it is unique among those that are listed with it. */
export function shortRunIds(ids: readonly string[]): ReadonlyMap<string, string> {
  const counts = new Map<string, number>();
  for (const id of new Set(ids)) counts.set(shortOf(id), (counts.get(shortOf(id)) ?? 0) + 1);
  return new Map(ids.map((id) => [id, counts.get(shortOf(id)) === 1 ? shortOf(id) : id]));
}

/** 32 random bits. */
function shortOf(id: string): string {
  return id.slice(-8);
}
