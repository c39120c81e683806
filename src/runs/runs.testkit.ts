/** Runs over a real store, a real sandbox and sources in memory, for tests. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createCodeDirectory } from "../app/code-directory.ts";
import type { Clock } from "../core/clock.ts";
import type { Guard } from "../core/guard.ts";
import { DEFAULT_SCOPE, type Scope } from "../core/names.ts";
import type { JsonObject } from "../core/json.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import type { RunKind, RunStatus, RunStore, Store } from "../core/store.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import type { CallContext, NodeType, ToolAnswer, ToolDefinition } from "../core/tool.ts";
import { createRegistry, type Registry } from "../registry/registry.ts";
import { createCodeAnalysis } from "../sandbox/analysis/analysis.ts";
import { createArgumentCheck } from "../sandbox/schema/argument-check.ts";
import { createSandbox } from "../sandbox/sandbox.ts";
import { createTypeCheck } from "../sandbox/types/type-check.ts";
import { DATABASE_NAME } from "../store/sqlite/home.ts";
import { openSqliteStore } from "../store/sqlite/sqlite-store.ts";
import { createFixtureSource } from "../../test/fixtures/tool-source.ts";
import { launch } from "../process/launch.ts";
import type { RunReport, RunRequest, RunSource } from "./run.ts";
import { createOwner } from "./journal/owner.ts";
import type { Liveness } from "./replicas/liveness.ts";
import type { RunLimits } from "./run-deps.ts";
import { createRuns, type ResumeRequest, type Runs } from "./runs.ts";

export const LIMITS: RunLimits = { timeoutMs: 10_000, memoryMb: 64, callsMax: 200, callsAtOnceMax: 16 };

type Answers = Record<string, (args: Record<string, unknown>, context: CallContext) => unknown>;

export interface TestRuns {
  readonly runs: Runs;
  readonly registry: Registry;
  readonly store: Store;
  readonly calls: { readonly tool: string; readonly args: unknown; readonly context: CallContext }[];
  /** Adds a source whose tools are the keys; an answer is text, or a whole MCP result. */
  addSource(id: string, answers: Answers, definitions?: Record<string, Partial<ToolDefinition>>): void;
  /** Adds capabilities, `namespace:action` with their code, as one source. */
  addCapabilities(code: Record<string, string>): void;
  execute(code: string, request?: Partial<RunRequest>, context?: Partial<CallContext>): Promise<RunReport>;
  /** Runs a workflow, given as an object or as text. */
  executeWorkflow(
    workflow: unknown,
    request?: Partial<RunRequest>,
    context?: Partial<CallContext>,
  ): Promise<RunReport>;
  /** Goes on with a run; one that is refused throws. */
  resume(runId: string, request?: Partial<ResumeRequest>, context?: Partial<CallContext>): Promise<RunReport>;
  /** What `workflow` nodes find by name. */
  readonly named: Map<string, RunSource>;
  readonly nodes: NodeType[];
  readonly approvals: JsonObject[];
  close(): Promise<void>;
}

/** What a test puts in place of the real thing. */
export interface TestDeps {
  readonly clock?: Clock;
  readonly scope?: () => Scope;
  /** Stands between the runs and the store. */
  readonly around?: (store: RunStore) => RunStore;
  readonly telemetry?: Telemetry;
  readonly runEnded?: (kind: RunKind, status: RunStatus) => void;
  readonly runSucceeded?: (tools: readonly string[], intent: string) => void;
  readonly capabilityId?: (tool: string) => string | undefined;
  /** Decides on calls, in the registry and in runs. */
  readonly guard?: Guard;
  readonly approvalMs?: () => number;
  readonly rowAfterMs?: number;
  /** In place of a store of this machine alone. */
  readonly openStore?: () => Promise<Store>;
  readonly liveness?: Liveness;
}

/** An owner like this process, on the same machine, that has ended. */
export function deadOwner(): string {
  const [place] = createOwner().split("|");
  return [place, spawnSync(process.execPath, ["--version"]).pid, "", "dead"].join("|");
}

/**
 * Leaves every run under way in this home as a killed process leaves it: no process writes to it any more.
 */
export function orphanRuns(home: string): void {
  const database = new DatabaseSync(join(home, DATABASE_NAME));
  const sql = "update runs set lease_owner = ?, fence = fence + 1 where status = 'running'";
  database.prepare(sql).run(deadOwner());
  database.close();
}

/** Executes code until `when`, and leaves the run as a process that is killed then. Its id. */
export async function cutShort(
  kit: TestRuns,
  home: string,
  when: Promise<unknown>,
  code: string,
  request: Partial<RunRequest> = {},
): Promise<string> {
  const zombie = new AbortController();
  const running = kit.execute(code, request, { signal: zombie.signal }).catch(() => undefined);
  const ended = await Promise.race([when.then(() => undefined), running]);
  if (ended !== undefined)
    throw new Error(`it ended before it was cut short: ${JSON.stringify(ended.result)}`);
  const [newest] = await kit.store.runs.list(DEFAULT_SCOPE, { limit: 1 });
  orphanRuns(home);
  zombie.abort();
  return newest!.id;
}

export async function createTestRuns(
  home: string,
  limits: () => RunLimits = () => LIMITS,
  freshenLibrary: () => Promise<void> = async () => {},
  liveName: (tool: string) => string = (tool) => tool,
  {
    clock,
    scope = () => DEFAULT_SCOPE,
    around = (runs) => runs,
    capabilityId,
    openStore = () => openSqliteStore({ home, ...(clock !== undefined && { clock }) }),
    ...watching
  }: TestDeps = {},
): Promise<TestRuns> {
  const store = await openStore();
  const registry = createRegistry({ guard: watching.guard });
  const servers: string[] = [];
  const calls: TestRuns["calls"] = [];
  const named = new Map<string, RunSource>();
  const nodes: NodeType[] = [];
  const approvals: JsonObject[] = [];
  const runs = createRuns({
    ...watching,
    spend: (id, expiresAt) => store.seals.spend(id, expiresAt),
    store: around(store.runs),
    replicas: store.replicas,
    ...(clock !== undefined && { clock }),
    sandbox: createSandbox({ launch, memoryMb: () => limits().memoryMb }),
    analysis: createCodeAnalysis(),
    types: createTypeCheck(),
    args: createArgumentCheck(),
    directory: createCodeDirectory({
      registry,
      liveName,
      freshenLibrary,
      servers: () => servers,
      ...(capabilityId !== undefined && { capabilityId }),
    }),
    callTool: registry.call,
    nodes,
    findSource: async (name) => {
      const found = named.get(name);
      return found === undefined ? fail("TOOL_NOT_FOUND", `There is no ${name}.`) : succeed(found);
    },
    findVersion: async (id, version) =>
      [...named.values()].find(
        (source) => source.capability?.id === id && source.capability.version === version,
      ),
    recordApproval: (runId, details) => approvals.push({ runId, ...details }),
    person: () => "bob",
    scope,
    limits,
  });

  function addSource(
    id: string,
    answers: Answers,
    definitions: Record<string, Partial<ToolDefinition>> = {},
  ): void {
    const tools = Object.keys(answers).map((name) => ({
      name,
      inputSchema: { type: "object" },
      ...definitions[name],
    }));
    const source = createFixtureSource(id, tools);
    const call: typeof source.call = async (name, args, context) => {
      calls.push({ tool: `${id}__${name}`, args, context });
      return answerOf(await answers[name]!(args, context));
    };
    registry.add({ ...source, call });
    if (id !== "mcp") servers.push(id);
  }

  return {
    runs,
    registry,
    store,
    calls,
    addSource,
    addCapabilities(code) {
      const answers = Object.entries(code).map(([name, text]): [string, Answers[string]] => {
        const part = name.replace(":", "__");
        return [part, async (args, context) => runCapability(`mcp__${part}`, text, args, context)];
      });
      addSource("mcp", Object.fromEntries(answers));
      async function runCapability(
        name: string,
        text: string,
        args: Record<string, unknown>,
        context: CallContext,
      ) {
        const report = await runs.execute(
          {
            kind: "code",
            source: text,
            inputs: args as never,
            capability: { tool: name, id: name, version: 1 },
          },
          context,
        );
        return report.result.success ? report.result.data : report.result;
      }
    },
    execute: (code, request = {}, context = {}) =>
      runs.execute(
        { kind: "code", source: code, inputs: {}, ...request },
        { traceId: "test", signal: new AbortController().signal, ...context },
      ),
    executeWorkflow: (workflow, request = {}, context = {}) =>
      runs.execute(
        {
          kind: "workflow",
          source: typeof workflow === "string" ? workflow : JSON.stringify(workflow),
          inputs: {},
          ...request,
        },
        { traceId: "test", signal: new AbortController().signal, ...context },
      ),
    async resume(runId, request = {}, context = {}) {
      const resumed = await runs.resume(
        { runId, ...request },
        { traceId: "test", signal: new AbortController().signal, ...context },
      );
      if (!resumed.success) throw new Error(`${resumed.error.reason}: ${resumed.error.message}`);
      return resumed.data;
    },
    named,
    nodes,
    approvals,
    async close() {
      await runs.close();
      await registry.close();
      await store.close();
    },
  };
}

function answerOf(value: unknown): ToolResult<ToolAnswer> {
  if (isResult(value)) return value;
  if (typeof value === "object" && value !== null && "content" in value) return succeed(value as ToolAnswer);
  return succeed({
    content: [{ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) }],
  });
}

function isResult(value: unknown): value is ToolResult<ToolAnswer> {
  return typeof value === "object" && value !== null && "success" in value && "error" in value;
}
