/**
 * Runs as they can be read: a list, a trace as a tree with times, and single results. Everything that is shown has gone
 * through a redactor that knows what the run was given under the name of a secret; what is handed to a run as its input
 * has not.
 */
import { isJsonObject, parseJson, type Json, type JsonObject } from "../core/json.ts";
import { readPointer } from "../text/json-pointer.ts";
import type { Scope } from "../core/names.ts";
import type { Redactors } from "../text/redactors.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import type { Run, RunStarter, RunStatus, RunStore, RunSummary, Step } from "../core/store.ts";
import { quote } from "../text/quote.ts";
import { checkpointJson, checkpointOf } from "./journal/checkpoint.ts";
import { readEarlierRun } from "./resume/earlier-run.ts";
import { namesOf } from "./workflow/labels.ts";
import { isGone } from "./journal/owner.ts";
import type { Liveness } from "./replicas/liveness.ts";
import { skippedBy } from "./resume/skipped.ts";
import type { CallUnderWay } from "./journal/under-way.ts";
import { parseRunUri, resultUriOf, runUriOf, RUNS_URI, stepUriOf } from "./run-uri.ts";
import { cut } from "../text/cut.ts";

export interface TraceDeps {
  readonly store: RunStore;
  /** Without it, all owners are on this machine. */
  readonly liveness?: Pick<Liveness, "isGone">;
  readonly scope: () => Scope;
  readonly redactors: Pick<Redactors, "knowing">;
  /** Calls of a run that are not answered yet, in whichever process; they need not be on record. */
  readonly underWay?: (runId: string) => readonly CallUnderWay[];
}

/** A run as lists show it: one whose owner is gone will not go on by itself. */
type ShownStatus = RunStatus | "interrupted";

export interface Traces {
  statusOf(run: Pick<RunSummary, "status" | "leaseOwner">): ShownStatus;
  /** A run as lists and traces have it. Nothing is redacted yet. */
  summarize(run: RunSummary): ReturnType<typeof summarizeRun>;
  /** Newest first; of one starter, where one is named. */
  list(limit: number, beforeId?: string, starter?: RunStarter): Promise<JsonObject[]>;
  trace(runId: string): Promise<ToolResult<JsonObject>>;
  /** What ran, in the first words of its source; undefined where it is kept under a name of its own. */
  title(runId: string): Promise<string | undefined>;
  /** The whole result that a handle names, unchanged. */
  readResult(uri: string): Promise<ToolResult<Json>>;
  /** A resource under `repertoire://runs`, as it is shown; a list is of one starter, where one is named. */
  readResource(uri: string, starter?: RunStarter): Promise<ToolResult<Json>>;
  /** The id of the principal that started a run, null for the person at this machine; undefined where there is none. */
  principalOf(runId: string): Promise<string | null | undefined>;
}

/** What a list shows without being asked for more. */
const LIST_LENGTH = 50;
/** A tree that is deeper or wider is cut, and says so. */
const TREE_DEPTH_MAX = 10;
const CHILDREN_MAX = 200;
/** Of arguments and results in a trace. */
const PREVIEW_LENGTH = 500;

export function createTraces(deps: TraceDeps): Traces {
  const { store, scope } = deps;
  const redact = (value: Json, given: unknown): Json => deps.redactors.knowing(given).value(value) as Json;

  async function findRun(id: string): Promise<Run | undefined> {
    const run = await store.find(id);
    const { org, project } = scope();
    return run?.scope.org === org && run.scope.project === project ? run : undefined;
  }

  async function list(limit: number, beforeId?: string, starter?: RunStarter): Promise<JsonObject[]> {
    const runs = await store.list(scope(), { limit, beforeId, starter });
    return redact(
      runs.map((run) => summarizeRun(deps, run)),
      runs,
    ) as JsonObject[];
  }

  async function trace(runId: string): Promise<ToolResult<JsonObject>> {
    const run = await findRun(runId);
    if (run === undefined) return noSuch(runUriOf(runId));
    const given: unknown[] = [];
    return succeed(redact(await treeOf(deps, run, 0, given), given) as JsonObject);
  }

  async function readResult(uri: string): Promise<ToolResult<Json>> {
    const address = parseRunUri(uri);
    const run = address?.kind === "result" ? await findRun(address.runId) : undefined;
    if (address?.kind !== "result" || run === undefined) return noSuch(uri);
    const whole = address.step === null ? run.result : await stepResult(store, run, address.step);
    if (whole === undefined || (address.step === null && run.status !== "succeeded")) return noSuch(uri);
    const part = address.path === "" ? whole : readPointer(whole, `#${address.path}`);
    return part === undefined ? noSuch(uri) : succeed(part as Json);
  }

  return {
    statusOf: (run) => shownStatus(deps, run),
    summarize: (run) => summarizeRun(deps, run),
    list,
    trace,
    async title(runId) {
      const run = await findRun(runId);
      const title = run && titleOf(run);
      return title === undefined ? undefined : (redact(title, run!.inputs) as string);
    },
    readResult,
    async principalOf(runId) {
      return (await findRun(runId))?.principal;
    },
    async readResource(uri, starter) {
      const address = parseRunUri(uri);
      if (address?.kind === "list") return succeed({ runs: await list(LIST_LENGTH, undefined, starter) });
      if (address?.kind === "trace") return trace(address.runId);
      const read = await readResult(uri);
      return read.success ? succeed(redact(read.data, await givenTo(store, address!.runId))) : read;
    },
  };
}

/** What a run and its steps were given: secrets are in there under their names. */
async function givenTo(store: RunStore, runId: string): Promise<unknown> {
  const [run, steps] = await Promise.all([store.find(runId), store.steps(runId)]);
  return [run?.inputs, ...steps.map(({ args }) => args)];
}

async function stepResult(store: RunStore, run: Run, step: string): Promise<Json | undefined> {
  const steps = await store.steps(run.id);
  const names = namesOf(steps);
  const found = steps.find(({ key }, at) => String(at + 1) === step || names.get(key) === step);
  return found === undefined ? undefined : store.stepResult(run.id, found.key);
}

function noSuch(uri: string): ToolResult<never> {
  return fail("TOOL_NOT_FOUND", `There is nothing at ${quote(uri, 200)}.`, {
    field: "uri",
    hint: `${RUNS_URI} lists the runs, ${RUNS_URI}/{run_id} shows one, and its steps name their results.`,
  });
}

function summarizeRun(deps: TraceDeps, run: RunSummary) {
  const { id, kind, intent, startedAt, finishedAt, error, resumedFromRunId, mode, wakeAt } = run;
  return {
    run_id: id,
    uri: runUriOf(id),
    kind,
    status: shownStatus(deps, run),
    intent,
    started_at: isoOf(startedAt),
    finished_at: finishedAt === null ? null : isoOf(finishedAt),
    elapsed_ms: finishedAt === null ? null : finishedAt - startedAt,
    ...(mode === "background" && { mode }),
    // While it runs, it is under way; a time that has passed is of no interest.
    ...(wakeAt !== null && run.status === "paused" && { wakes_at: isoOf(wakeAt) }),
    ...(resumedFromRunId !== null && { resumed_from: resumedFromRunId }),
    ...(error !== null && { error: pick(error, ["code", "reason", "message"]) }),
  };
}

function shownStatus(
  { liveness = { isGone } }: TraceDeps,
  { status, leaseOwner }: Pick<RunSummary, "status" | "leaseOwner">,
): ShownStatus {
  return status === "running" && leaseOwner !== null && liveness.isGone(leaseOwner) ? "interrupted" : status;
}

/** What the runs and steps in it were given is added to `given`, uncut. */
async function treeOf(deps: TraceDeps, run: Run, depth: number, given: unknown[]): Promise<JsonObject> {
  const { store } = deps;
  const earlier = await readEarlierRun(store, run);
  given.push(run.inputs, ...earlier.steps.map(({ args }) => args));
  const children = await store.children(run.id);
  const successor = await store.successor(run.id);
  const onRecord = new Set(earlier.steps.map(({ key }) => key));
  const underWay = shownStatus(deps, run) === "running" ? (deps.underWay?.(run.id) ?? []) : [];
  const notOnRecord = underWay.filter(({ key }) => !onRecord.has(key));
  const names = namesOf([...earlier.steps, ...notOnRecord]);
  const below: JsonObject[] = [];
  for (const child of children.slice(0, CHILDREN_MAX)) {
    const found = depth < TREE_DEPTH_MAX ? await store.find(child.id) : undefined;
    const tree =
      found === undefined ? summarizeRun(deps, child) : await treeOf(deps, found, depth + 1, given);
    below.push({ ...tree, step: names.get(child.parentStep ?? "") ?? child.parentStep });
  }
  return {
    ...summarizeRun(deps, run),
    inputs: preview(run.inputs),
    ...(successor !== undefined && { resumed_by: successor.id }),
    ...(run.status === "succeeded" && { outputs: resultPreview(run.result, resultUriOf(run.id)) }),
    steps: [
      ...earlier.steps.map((step, at) => stepOf(step, run, names.get(step.key)!, at + 1)),
      ...notOnRecord.map((call, at) =>
        callOf(call, run, names.get(call.key)!, earlier.steps.length + at + 1),
      ),
    ],
    ...(below.length > 0 && { runs: below }),
    ...(children.length > CHILDREN_MAX && { runs_left_out: children.length - CHILDREN_MAX }),
    ...(run.status !== "succeeded" &&
      run.status !== "running" && { checkpoint: checkpointJson(checkpointOf(earlier, successor?.id)) }),
  };
}

function stepOf(step: Step, run: Run, name: string, number: number): JsonObject {
  const { key, tool, status, startedAt, finishedAt, args, error, fromRunId } = step;
  const by = skippedBy(step);
  return {
    step: number,
    key,
    name,
    tool,
    status: by === undefined ? status : "skipped",
    ...(by !== undefined && { skipped_by: by }),
    started_ms: startedAt - run.startedAt,
    elapsed_ms: finishedAt === null ? null : finishedAt - startedAt,
    ...(fromRunId !== null && { from_journal: fromRunId }),
    args: preview(args),
    ...(status === "succeeded" && { result: stepResultPreview(step, number) }),
    // That of an open step says what its call became.
    ...(error !== null && status === "failed" && { error: pick(error, ["code", "reason", "message"]) }),
  };
}

/** A call that is not answered yet. It may be made again, so it is on record only when it has returned. */
function callOf({ key, tool, startedAt }: CallUnderWay, run: Run, name: string, number: number): JsonObject {
  const startedMs = startedAt - run.startedAt;
  return { step: number, key, name, tool, status: "under_way", started_ms: startedMs, elapsed_ms: null };
}

function stepResultPreview({ runId, result, resultBytes }: Step, number: number): Json {
  if (resultBytes !== null) return { handle: stepUriOf(runId, number), bytes: resultBytes };
  return resultPreview(result, stepUriOf(runId, number));
}

function resultPreview(value: Json, handle: string): Json {
  const text = JSON.stringify(value);
  return text.length <= PREVIEW_LENGTH
    ? value
    : { handle, bytes: Buffer.byteLength(text), preview: text.slice(0, PREVIEW_LENGTH) };
}

function preview(value: JsonObject): Json {
  const text = JSON.stringify(value);
  return text.length <= PREVIEW_LENGTH
    ? value
    : `${text.slice(0, PREVIEW_LENGTH)} … (${text.length} characters)`;
}

function pick(error: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(
    keys.flatMap((key) => (isJsonObject(error) && error[key] !== undefined ? [[key, error[key]]] : [])),
  );
}

function isoOf(at: number): string {
  return new Date(at).toISOString();
}

const TITLE_LENGTH_MAX = 120;
/** Lines that every program begins with, and that say nothing of this one. */
const SAYS_NOTHING = /^(?:import\b|export \{|["']use strict["'];?$|[{}()[\];]*$|@)/;

/** What a run is called in a list, where neither an intent nor a name says it: the first words of what ran. */
export function titleOf({ kind, source }: Pick<Run, "kind" | "source">): string | undefined {
  if (source === null) return undefined;
  const title = kind === "workflow" ? workflowTitleOf(source) : codeTitleOf(source);
  if (title === undefined || title === "") return undefined;
  return cut(title, TITLE_LENGTH_MAX);
}

/** A comment at the top is what its author says of it; else the first line that does something. */
function codeTitleOf(source: string): string | undefined {
  return source
    .split("\n")
    .map((line) =>
      line
        .trim()
        .replace(/^(?:\/\*+|\*+\/|\*|\/\/+)\s*|\s*\*+\/$/g, "")
        .trim(),
    )
    .find((line) => !SAYS_NOTHING.test(line));
}

/** What it says of itself, or its nodes. */
function workflowTitleOf(source: string): string | undefined {
  const parsed = parseJson(source);
  if (!parsed.ok || !isJsonObject(parsed.value)) return undefined;
  const { description, nodes } = parsed.value;
  if (typeof description === "string" && description !== "") return description.split("\n", 1)[0];
  const ids = (Array.isArray(nodes) ? nodes : []).flatMap((node) => idOf(node as JsonObject));
  return ids.join(", ");
}

function idOf(node: JsonObject): string[] {
  return isJsonObject(node) && typeof node["id"] === "string" ? [node["id"]] : [];
}
