/**
 * One server as it is: its own names and URIs, its pages, its description of itself, its errors, and what it says
 * unasked. For what is in front of it (who is let in, what is measured and audited) and not for what is shown of it.
 *
 * Some things are not forwarded. A tool that the server's config denies is neither listed nor called, and neither is
 * anything that is held. An entry that
 * admission refuses (no name, a schema over the limits or no JSON Schema) is left out and logged, and so is a field
 * of the wrong kind, because one of them can cost a client its whole list; texts that admission would only shorten
 * are forwarded as they are. And the arguments of a call are held to the limits of any JSON here.
 */
import { randomUUID } from "node:crypto";
import type { ToolError } from "../../core/errors.ts";
import { findJsonProblem, type JsonObject, isJsonObject, type Json } from "../../core/json.ts";
import type { Log } from "../../core/log.ts";
import { paramHeadersOf } from "../../net/param-headers.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import {
  RPC_ERROR,
  type CallContext,
  type Component,
  type ListKind,
  type ToolAnswer,
  type ToolDefinition,
} from "../../core/tool.ts";
import type { Registry } from "../../registry/registry.ts";
import { refusalOf } from "../rpc-refusal.ts";
import { errorAnswer, unexpected, withTrace } from "../answer.ts";
import type { Gateway, ListMethod, ListPage } from "../gateway.ts";
import type { GatewayDeps } from "../gateway-deps.ts";
import { heldRequestOf, type HeldRequest } from "../held-calls.ts";
import { nextHop } from "../hops.ts";
import { checkNoState } from "../sealed-state.ts";
import type { AskedCall, AskedCalls } from "../asked-call.ts";
import { exposeTools } from "../../core/names.ts";
import { quote } from "../../text/quote.ts";
import { admitEntry, droppedField, rejectionOf, type Rejection } from "../../admission/admission.ts";
import type { Verdict } from "../../admission/entry-check.ts";
import { LIST_KEYS } from "../list-all.ts";
import { noSkill } from "../skills/skill.ts";
import { isTaskMethod, noTask, takesTasks } from "../tasks/task.ts";
import { createProfileView } from "./profile-view.ts";

export interface TransparentDeps extends Pick<GatewayDeps, "configChanged" | "denied" | "heldCalls"> {
  /** Asks a person where a rule says so; without it, such a call is refused. */
  readonly asked?: AskedCalls;
  readonly registry: Pick<
    Registry,
    "request" | "describe" | "permits" | "passServed" | "sourceChanged" | "catalogue"
  >;
  /** The name of the profile. */
  readonly profile: string;
  /** The id of the one server. */
  readonly server: string;
  /** Whether the profile fronts this server still; without it, for good. */
  readonly isFronted?: () => boolean;
  readonly log: Log;
}

const LIST_KINDS: readonly ListKind[] = ["tools", "resources", "prompts"];

export function createTransparentGateway(deps: TransparentDeps): Gateway {
  const { registry, server, profile } = deps;
  const isFronted = () => deps.isFronted?.() !== false;
  const pages = createPageCheck(deps);
  let changeCount = 0;
  const version = () => String(changeCount);
  // Before any client is told, so that the version differs when it asks.
  registry.sourceChanged((id) => id === server && changeCount++);
  deps.configChanged(() => changeCount++);

  // It hides nothing of the server; by it, rules know the profile.
  const view = createProfileView(profile, { servers: [server] });

  /** What `_meta` is the server's goes along in the context. */
  const request = (method: string, given: JsonObject, context: CallContext) => {
    const { _meta: _own, ...params } = given;
    if (!isFronted()) return Promise.resolve(notFronted());
    return registry.request(server, method, params, { ...context, ...tasksOf(context), view });
  };

  async function list(
    method: ListMethod,
    params: JsonObject,
    partial?: Partial<CallContext>,
  ): Promise<ToolResult<ListPage>> {
    const answer = await request(method, params, contextOf(partial));
    if (!answer.success) return answer;
    const page = pages.check(method, answer.data, params["cursor"] === undefined);
    return succeed(method === "tools/list" ? { page, version: version() } : { page });
  }

  async function callChecked(
    name: string,
    args: JsonObject,
    context: CallContext,
    definition: ToolDefinition | undefined,
  ): Promise<ToolAnswer> {
    if (!registry.permits(server, name)) {
      deps.denied(context, name, { server, traceId: context.traceId });
      return failed(deniedTool(name, server), context, definition);
    }
    const meta = nextHop(context.meta);
    if (!meta.success) return failed(meta.error, context, definition);
    const asked = askedCallOf(name, args, definition);
    const decided: HeldRequest["decided"] = (state) =>
      deps.asked?.decide(state, asked, { ...context, view }) as never;
    const held = { method: "tools/call", name, args, profile, server: () => server, decided } as const;
    const headers = definition === undefined ? undefined : paramHeadersOf(definition.inputSchema, args);
    const below = { ...context, meta: meta.data, ...(headers !== undefined && { headers }) };
    const send = (next: CallContext) => request("tools/call", { name, arguments: args }, next);
    const broken = (error: unknown) => unexpected(error, name, context, deps.log);
    const result = await deps.heldCalls
      .answer(held, below, send)
      .then((answer) => (answer.success ? answer : askIfWanted(answer, asked, { ...below, view })))
      .catch(broken);
    if (result.success) return toAnswer(result.data);
    const upstream = refusalOf(result.error);
    // What the server itself refuses is its own error; what goes wrong on the way is a result that a model can read.
    if (upstream !== undefined) return { [RPC_ERROR]: upstream, isError: true, content: [] };
    return failed(result.error, context, definition);
  }

  function askedCallOf(name: string, args: JsonObject, definition: ToolDefinition | undefined): AskedCall {
    const [tool = name] = exposeTools(server, [name]).originals.keys();
    return { method: "tools/call", name, tool, args, profile, definition: () => definition };
  }

  async function askIfWanted(
    failure: { success: false; error: ToolError },
    call: AskedCall,
    context: CallContext,
  ): Promise<ToolResult<JsonObject>> {
    return ((await deps.asked?.ask(failure, call, context)) ?? failure) as ToolResult<JsonObject>;
  }

  function failed(
    error: ToolError,
    context: CallContext,
    definition: ToolDefinition | undefined,
  ): ToolAnswer {
    return withTrace(errorAnswer(error, definition?.outputSchema === undefined), context);
  }

  /** What is held of a server's skills is not there, as in its other lists. */
  function checkSkills(method: string, params: JsonObject, answer: ToolResult<JsonObject>) {
    if (!answer.success) return answer;
    if (method === "skills/list") return succeed(pages.check(method, answer.data, false));
    if (method !== "skills/get") return answer;
    return pages.passes("skills/list", answer.data["skill"]) ? answer : noSkill(params["uri"]);
  }

  /** As it was listed last, or as the registry knows it where nothing was listed here yet. */
  function knownTool(name: string): ToolDefinition | undefined {
    if (pages.hasTools()) return pages.tool(name);
    const { components, appOnly } = registry.catalogue();
    const isMeant = ({ source, definition }: Component) => source === server && definition.name === name;
    return (components.find(isMeant) ?? appOnly.find(isMeant))?.definition;
  }

  return {
    async describe(partial) {
      const told = isFronted() ? await registry.describe(server, contextOf(partial)) : notFronted();
      if (!told.success) return told;
      // A client that is promised tasks asks for them in a call, and that is not passed.
      const { tasks: _tasks, ...capabilities } = told.data.capabilities;
      return succeed({ ...told.data, capabilities });
    },
    list,
    // The server answers for names that it has not listed, too.
    find(name) {
      const definition = knownTool(name);
      return { definition, call: (args, context) => callChecked(name, args, context, definition) };
    },
    async callTool(name, args, partial) {
      const context = contextOf(partial);
      const definition = knownTool(name);
      const problem = registry.permits(server, name) ? findJsonProblem(args) : undefined;
      if (problem === undefined) return callChecked(name, args, context, definition);
      const { error } = fail("TOOL_INVALID_INPUT", `The arguments are refused: ${problem}.`);
      return failed(error, context, definition);
    },
    forward(method, params, context) {
      // Runs are the gateway's own, and here is only the server with its tasks.
      if (isTaskMethod(method)) {
        const { taskId } = params;
        return typeof taskId === "string"
          ? request(method, params, context)
          : Promise.resolve(noTask(taskId));
      }
      const held = heldRequestOf(method, params, () => server);
      const send = async (next: CallContext) =>
        checkSkills(method, params, await request(method, params, next));
      if (held === undefined) {
        const stateless = checkNoState(context);
        return stateless.success ? send(context) : Promise.resolve(stateless);
      }
      const broken = (error: unknown) => unexpected(error, method, context, deps.log);
      return deps.heldCalls.answer({ ...held, profile }, context, send).catch(broken);
    },
    watch(listener) {
      const tellAll = () => LIST_KINDS.forEach(listener);
      const stops = [
        registry.sourceChanged((id, what) => {
          if (id !== server) return;
          if (what === undefined) tellAll();
          else listener(what);
        }),
        deps.configChanged(tellAll),
      ];
      return { toolsVersion: version, stop: () => stops.forEach((stop) => stop()) };
    },
  };
}

/** A modern client has said itself whether it knows tasks. For any other one they are followed to their end. */
function tasksOf(context: CallContext): Pick<CallContext, "tasks"> {
  if (context.modern === undefined) return {};
  return { tasks: takesTasks(context) ? "passed" : "declined" };
}

/** A result without content is none to the SDK; of a task it is left out when the answer is sent. */
function toAnswer(data: JsonObject): ToolAnswer {
  const answer = data as unknown as ToolAnswer;
  return data["resultType"] === "task" ? { ...answer, content: [] } : answer;
}

/** A client that connected while it was fronted has to connect again. */
function notFronted(): ToolResult<never> {
  return fail("TOOL_UNAVAILABLE", "The profile has changed and does not front this server any more.", {
    retryable: false,
    hint: "Connect again.",
  });
}

function deniedTool(name: string, server: string) {
  const message = `The tool ${quote(name)} is denied by the config of the server "${server}".`;
  return fail("SECURITY_ERROR", message, {
    hint: `Use another tool, or have it allowed under mcpServers.${server}.tools in repertoire.json.`,
  }).error;
}

function contextOf(partial: Partial<CallContext> = {}): CallContext {
  return { traceId: randomUUID(), signal: new AbortController().signal, ...partial };
}

/** As many tools as one server may have in the registry. */
const TOOLS_KEPT_MAX = 1_000;
/** What was left out is logged once; a server that makes up new reasons for ever is logged no further. */
const LOGGED_MAX = 1_000;

/**
 * One page of a server's list as it is passed on: everything in it as it came, without the entries and the fields
 * that would cost a client the whole list. Only texts that hide something from a person are written out, as
 * everywhere.
 */
interface PageCheck {
  /** The very same page where nothing is left out. */
  check(method: PageMethod, page: JsonObject, isFirst: boolean): JsonObject;
  /** Whether one entry may pass by itself. */
  passes(method: PageMethod, entry: Json | undefined): boolean;
  /** Whether any tool was listed. */
  hasTools(): boolean;
  /** A tool as it was listed last. */
  tool(name: string): ToolDefinition | undefined;
}

const PAGE_KEYS = { ...LIST_KEYS, "skills/list": "skills" } as const;
type PageMethod = keyof typeof PAGE_KEYS;

interface AdmittedEntry {
  readonly verdict: Extract<Verdict<JsonObject>, { kind: "admitted" }>;
  readonly shown: JsonObject;
}

interface PageDeps {
  readonly registry: Pick<Registry, "permits" | "passServed">;
  readonly server: string;
  readonly log: Log;
}

function createPageCheck({ registry, server, log }: PageDeps): PageCheck {
  const listed = new Map<string, ToolDefinition>();
  const logged = new Set<string>();

  /** The entry as it may pass, if admission lets it. */
  function admit(method: PageMethod, entry: Json): AdmittedEntry[] {
    const name = method === "tools/list" && isJsonObject(entry) ? entry["name"] : undefined;
    if (typeof name === "string" && !registry.permits(server, name)) return [];
    const key = PAGE_KEYS[method];
    // Each by itself: how much a server may list in all is the registry's concern, and here pages are as long as they
    // are.
    const verdict = admitEntry(key, entry);
    if (verdict.kind === "refused") {
      logOnce(method, rejectionOf(key, entry, verdict.reason));
      return [];
    }
    for (const problem of verdict.drops) logOnce(method, droppedField(key, entry, problem));
    const isHiding = verdict.notes.some(({ code }) => code === "hidden_text");
    return [{ verdict, shown: isHiding ? verdict.entry : verdict.shaped }];
  }

  /** What is held is not there. */
  function pass(method: PageMethod, entries: readonly Json[]): Json[] {
    const admitted = entries.flatMap((entry) => admit(method, entry));
    const passes = registry.passServed(
      server,
      PAGE_KEYS[method],
      admitted.map(({ verdict }) => verdict),
    );
    return admitted.filter((_, at) => passes[at]).map(({ shown }) => shown);
  }

  function logOnce(method: PageMethod, { name, reason }: Rejection): void {
    const key = `${name} ${reason}`;
    if (logged.has(key) || logged.size >= LOGGED_MAX) return;
    logged.add(key);
    log.warn("gateway.transparent.entry.refused", { serverName: server, method, name, reason });
  }

  function remember(tools: readonly unknown[], isFirst: boolean): void {
    if (isFirst) listed.clear();
    for (const tool of tools as readonly ToolDefinition[]) {
      if (listed.size < TOOLS_KEPT_MAX) listed.set(tool.name, tool);
    }
  }

  return {
    check(method, page, isFirst) {
      const key = PAGE_KEYS[method];
      const entries = page[key];
      if (!Array.isArray(entries)) return page;
      const passed = pass(method, entries as readonly Json[]);
      if (key === "tools") remember(passed, isFirst);
      const isSame = passed.length === entries.length && passed.every((entry, at) => entry === entries[at]);
      return isSame ? page : { ...page, [key]: passed };
    },
    passes: (method, entry) => pass(method, [entry ?? null]).length > 0,
    hasTools: () => listed.size > 0,
    tool: (name) => listed.get(name),
  };
}
