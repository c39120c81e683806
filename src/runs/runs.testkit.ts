/** Runs over a real store, a real sandbox and sources in memory, for tests. */
import { createCodeDirectory } from "../code-directory.ts";
import { DEFAULT_SCOPE } from "../core/names.ts";
import { succeed, type ToolResult } from "../core/result.ts";
import type { Store } from "../core/store.ts";
import type { CallContext, ToolAnswer, ToolDefinition } from "../core/tool.ts";
import { createRegistry, type Registry } from "../registry/registry.ts";
import { createCodeAnalysis } from "../sandbox/analysis.ts";
import { createArgumentCheck } from "../sandbox/argument-check.ts";
import { createSandbox } from "../sandbox/sandbox.ts";
import { createTypeCheck } from "../sandbox/type-check.ts";
import { openSqliteStore } from "../store/sqlite/sqlite-store.ts";
import { createFixtureSource } from "../../test/fixtures/tool-source.ts";
import { launch } from "../upstream/process/launch.ts";
import type { CodeRequest, RunReport } from "./run.ts";
import { createRuns, type RunLimits, type Runs } from "./runs.ts";

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
  execute(code: string, request?: Partial<CodeRequest>, context?: Partial<CallContext>): Promise<RunReport>;
  close(): Promise<void>;
}

export async function createTestRuns(
  home: string,
  limits: () => RunLimits = () => LIMITS,
  freshenLibrary: () => Promise<void> = async () => {},
  liveName: (tool: string) => string = (tool) => tool,
): Promise<TestRuns> {
  const store = await openSqliteStore({ home });
  const registry = createRegistry();
  const servers: string[] = [];
  const calls: TestRuns["calls"] = [];
  const runs = createRuns({
    store: store.runs,
    sandbox: createSandbox({ launch, memoryMb: () => limits().memoryMb }),
    analysis: createCodeAnalysis(),
    types: createTypeCheck(),
    args: createArgumentCheck(),
    directory: createCodeDirectory({ registry, liveName, freshenLibrary, servers: () => servers }),
    callTool: registry.call,
    scope: () => DEFAULT_SCOPE,
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
          { code: text, inputs: args as never, capability: { tool: name, id: name, version: 1 } },
          context,
        );
        return report.result.success ? report.result.data : report.result;
      }
    },
    execute: (code, request = {}, context = {}) =>
      runs.execute(
        { code, inputs: {}, ...request },
        { traceId: "test", signal: new AbortController().signal, ...context },
      ),
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
