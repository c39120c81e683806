/**
 * Runs as a profile and a token show them. A token with limits sees the runs that it started, and no other. A run is shown if everything that it used is: then there is nothing in it that the
 * client could not have seen itself. Of something kept that is shown, only what came of it is: what it used may be
 * hidden.
 */
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import { toolNameOf } from "../../core/names.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { CapabilityStore, RunStore, RunSummary, Step } from "../../core/store.ts";
import { ownerSeenBy } from "../../core/principal.ts";
import type { CallContext, ToolView } from "../../core/tool.ts";
import { parseRunUri, RUNS_URI } from "../../runs/run-uri.ts";
import type { Traces } from "../../runs/trace.ts";
import { quote } from "../../text/quote.ts";

/** What a run used, by exposed name, itself and with all that it started. */
interface RunReach {
  /** Where it is a run of something kept. */
  readonly capability?: string;
  readonly tools: readonly string[];
}

/** Undefined for a run that is not there, or that another run started. */
export type FindReach = (runId: string) => Promise<RunReach | undefined>;

/** No name, so no view allows it. */
const GONE = "";
/** How many runs back is looked for what a step had started; each resume is one. */
const CHAIN_LENGTH_MAX = 50;

type Reached = Pick<RunSummary, "id" | "capabilityId" | "resumedFromRunId">;

export interface ReachDeps {
  readonly runs: Pick<RunStore, "find" | "steps" | "children">;
  readonly capabilities: Pick<CapabilityStore, "get">;
}

export function createReachFinder({ runs, capabilities }: ReachDeps): FindReach {
  async function capabilityOf({
    capabilityId,
  }: Pick<RunSummary, "capabilityId">): Promise<string | undefined> {
    if (capabilityId === null) return undefined;
    const found = await capabilities.get(capabilityId);
    return found === undefined ? GONE : toolNameOf(found);
  }

  /** A capability's inner tool calls are checked under the capability's own name. */
  async function toolsOf(run: Reached): Promise<string[]> {
    const capability = await capabilityOf(run);
    if (capability !== undefined) return [capability];
    const steps = await runs.steps(run.id);
    const below = await Promise.all((await startedBy(run)).map(toolsOf));
    // A name without `__` is a node type of our own; what a code or workflow node used is below.
    return [...steps.flatMap(toolsIn).filter((tool) => tool.includes("__")), ...below.flat()];
  }

  /** Steps that a run took over were started by the runs before it. */
  async function startedBy(run: Reached): Promise<RunSummary[]> {
    const found = [...(await runs.children(run.id))];
    let from = run.resumedFromRunId;
    for (let i = 0; i < CHAIN_LENGTH_MAX && from !== null; i++) {
      found.push(...(await runs.children(from)));
      from = (await runs.find(from))?.resumedFromRunId ?? null;
    }
    return found;
  }

  return async (runId) => {
    const run = await runs.find(runId);
    if (run === undefined || run.parentRunId !== null) return undefined;
    const capability = await capabilityOf(run);
    return { ...(capability !== undefined && { capability }), tools: await toolsOf(run) };
  };
}

/** The tool of a step; of a question also the tool that it is about, which has not been called yet. */
function toolsIn({ tool, args }: Pick<Step, "tool" | "args">): string[] {
  const { details } = args;
  const asked = tool === "approve" && isJsonObject(details) ? details["type"] : undefined;
  return typeof asked === "string" ? [tool, asked] : [tool];
}

/** What limits who looks at runs: a profile, and a token that sees only what it started itself. */
type Seer = Pick<CallContext, "view" | "principal">;

/** The traces themselves for a caller without a limit; without a way to find out what a run used, a profile shows none. */
export function viewTraces(traces: Traces, { view, principal }: Seer, findReach?: FindReach): Traces {
  const owner = ownerSeenBy(principal);
  if (view === undefined && owner === undefined) return traces;
  const isOwn = async (runId: string): Promise<boolean> =>
    owner === undefined || (await traces.principalOf(runId)) === owner;

  async function mayRead(uri: string): Promise<boolean> {
    const address = parseRunUri(uri);
    // Which runs there are is not told in a profile: most belong to others.
    if (address === undefined || address.kind === "list") return address !== undefined && view === undefined;
    if (!(await isOwn(address.runId))) return false;
    if (view === undefined) return true;
    const reach = await reachIn(view, address.runId, findReach);
    const isOutcome = address.kind === "result" && address.step === null;
    return reach !== undefined && (isOutcome || reach.capability === undefined);
  }

  const trace: Traces["trace"] = async (runId) => {
    if (!(await mayRead(`${RUNS_URI}/${runId}`))) return notShown(`${RUNS_URI}/${runId}`);
    const read = await traces.trace(runId);
    return read.success && view !== undefined ? succeed(withoutRunsBelow(read.data)) : read;
  };

  return {
    statusOf: (run) => traces.statusOf(run),
    summarize: (run) => traces.summarize(run),
    list: (limit, beforeId) =>
      view === undefined ? traces.list(limit, beforeId, { principal: owner! }) : Promise.resolve([]),
    trace,
    title: () => Promise.resolve(undefined),
    principalOf: (runId) => traces.principalOf(runId),
    async readResult(uri) {
      return (await mayRead(uri)) ? traces.readResult(uri) : notShown(uri);
    },
    async readResource(uri) {
      const address = parseRunUri(uri);
      if (address?.kind === "trace") return trace(address.runId);
      const starter = owner === undefined ? undefined : { principal: owner };
      return (await mayRead(uri)) ? traces.readResource(uri, starter) : notShown(uri);
    },
  };
}

/** What a run used, if a profile shows all of it. */
async function reachIn(
  view: ToolView,
  runId: string,
  findReach: FindReach | undefined,
): Promise<RunReach | undefined> {
  const reach = await findReach?.(runId);
  return reach?.tools.every((tool) => view.allows(tool)) === true ? reach : undefined;
}

export interface ResumedDeps {
  readonly traces: Pick<Traces, "principalOf">;
  /** What a run used; without it, no run is shown to a client of a profile. */
  readonly findReach?: FindReach;
}

/** Whether a client may resume a run. One that it may not is refused like one that is not there. */
export async function checkResumed(
  runId: string | undefined,
  { view, principal }: Seer,
  { traces, findReach }: ResumedDeps,
): Promise<ToolResult<void>> {
  if (runId === undefined) return succeed(undefined);
  const owner = ownerSeenBy(principal);
  const isOwn = owner === undefined || (await traces.principalOf(runId)) === owner;
  const isShown = view === undefined || (await reachIn(view, runId, findReach)) !== undefined;
  if (isOwn && isShown) return succeed(undefined);
  return fail("TOOL_NOT_FOUND", `There is no run ${JSON.stringify(runId)}.`, {
    field: "resume",
    reason: "not_granted",
  });
}

/** What a capability did inside is hidden with the tools that it used. */
function withoutRunsBelow(trace: JsonObject): JsonObject {
  const { runs: _runs, ...shown } = trace;
  return shown;
}

function notShown(uri: string): ToolResult<never> {
  return fail("TOOL_NOT_FOUND", `There is nothing at ${quote(uri, 200)}.`, {
    field: "uri",
    reason: "not_granted",
    hint:
      `In a profile, ${RUNS_URI}/{run_id} shows runs that used nothing but what the profile shows; ` +
      "with a token that has limits, only runs that it started.",
  });
}
