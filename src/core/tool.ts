/** The nouns and contracts around something that can be called. */
import type { Permit } from "./rule.ts";
import type { Json, JsonObject } from "./json.ts";
import type { Principal } from "./principal.ts";
import type { ToolResult } from "./result.ts";
import type { TraceContext } from "./trace-context.ts";

/** A tool as MCP describes it. Fields that this version does not know are kept, so that nothing is lost in passing. */
export interface ToolDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  /**
   * What a successful call gives code, of any type, where it is known and not promised: code is typed by it, and no client is
   * told of it. Clients refuse an answer that breaks a listed `outputSchema`, and real APIs break theirs.
   */
  readonly answerSchema?: JsonObject;
  readonly annotations?: ToolAnnotations;
  readonly _meta?: JsonObject;
  readonly metadata?: {
    readonly category?: string;
    readonly version?: string;
    readonly tags?: readonly string[];
  };
  readonly [field: string]: unknown;
}

/** What code is typed by: the promise of the source, or what is known without one. */
export function answerTypeOf({
  outputSchema,
  answerSchema,
}: Pick<ToolDefinition, "outputSchema" | "answerSchema">): JsonObject | undefined {
  return outputSchema ?? answerSchema;
}

/** A tool with the name under which clients see it. `definition.name` is the server's own. */
export interface Component {
  readonly name: string;
  readonly source: string;
  readonly definition: ToolDefinition;
}

/** A tool as the Anthropic API takes it. */
export interface AnthropicTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonObject;
}

/** Hints from the author of the tool. From an untrusted server they relax nothing. */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** Under it, an answer that is no result but an error of JSON-RPC: what a server fronted alone refused in its own words. */
export const RPC_ERROR = Symbol("RPC_ERROR");

/** What a tool answered, in the shape of an MCP result. `isError` is the tool's own word. */
export interface ToolAnswer {
  readonly [RPC_ERROR]?: { readonly code: number; readonly message: string; readonly data?: unknown };
  readonly content: readonly JsonObject[];
  readonly structuredContent?: JsonObject;
  readonly isError?: boolean;
  readonly _meta?: JsonObject;
  readonly [field: string]: unknown;
}

/**
 * Everything that a source offers, as it describes it. What this version does not know of an entry is kept. `ttlMs` is the
 * source's own word on how long the offer may be kept.
 */
export interface Offer {
  /** What the source says of itself, for those who look for tools. */
  readonly about?: SourceAbout;
  /** What it said of itself at its handshake: pins are compared with it. */
  readonly self?: Pick<SourceDescription, "serverInfo" | "instructions">;
  readonly tools: readonly ToolDefinition[];
  readonly resources?: readonly JsonObject[];
  readonly resourceTemplates?: readonly JsonObject[];
  readonly prompts?: readonly JsonObject[];
  /** Entries of `skills/list`; absent where the source has not declared that it serves skills. */
  readonly skills?: readonly JsonObject[];
  readonly ttlMs?: number;
  /** Why the offer is not whole, where it is not: a list that did not end, a page that failed. */
  readonly incomplete?: readonly string[];
  /** What the source itself left out, with why, each by its name. */
  readonly leftOut?: readonly { readonly name: string; readonly reason: string }[];
}

export interface SourceAbout {
  readonly title?: string;
  readonly description?: string;
}

/** The client at the other end, for servers that ask back: sampling, elicitation, roots. */
export interface ClientHandle {
  /** The capabilities that the client declared. */
  readonly capabilities: JsonObject;
  /** Aborted when the client has gone for good: what was opened for it alone is closed. */
  readonly gone: AbortSignal;
  request(method: string, params: JsonObject, signal: AbortSignal): Promise<ToolResult<JsonObject>>;
  notify(method: string, params: JsonObject): void;
}

/**
 * A request of a client of the modern era. What a modern server needs from it comes back as an `input_required` answer; the client
 * then asks again with its responses and the state that the gateway sealed.
 */
interface ModernRequest {
  readonly capabilities: JsonObject;
  /** The least important log messages that it wants to hear of this request. */
  readonly logLevel?: string;
  readonly inputResponses?: JsonObject;
  /** As it came: good for nothing before the gateway has opened it, and never sent to a server. */
  readonly requestState?: string;
  /** What was in it, where a server had asked. */
  readonly serverState?: ServerState;
}

/** The round of a modern server that a request goes on with. */
interface ServerState {
  readonly server: string;
  /** The server's own; it may have given none. */
  readonly state?: string;
}

/** What a client of a profile may see and use, by exposed name, and what it sees of it. */
export interface ToolView {
  readonly profile: string;
  allows(tool: string): boolean;
  /** Whether resources, prompts and messages of a server are shown. */
  allowsServer(id: string): boolean;
  /** What clients call a tool by; code and workflows use its exposed name all the same. */
  nameOf(tool: string): string;
  /** What the tool is described as, where that is not its own word. */
  descriptionOf(tool: string): string | undefined;
}

/** A server whose process runs and has not finished its handshake. */
export interface Starting {
  readonly forMs: number;
  /** The last line of its stderr, without secrets and in printable characters. */
  readonly said?: string;
}

/** What travels with a call from the client down to the last nested one. It is passed, never global. */
export interface CallContext {
  readonly traceId: string;
  readonly signal: AbortSignal;
  /** The run that makes this call, if one does. */
  readonly runId?: string;
  /** The place of the call in that run, for a run that the call starts. */
  readonly step?: CallStep;
  /** Values that must not be stored, by the name that is stored in their place. */
  readonly sensitive?: readonly SensitiveValue[];
  /** How many capabilities deep the call is; 0 for a client's own. */
  readonly depth?: number;
  /** On the clock's monotonic time, which is this process's own: no change of the system's time moves it. Shared by everything below. */
  readonly deadlineAt?: number;
  /** The time limit that the deadline comes from: that of the run, or of the one that started it. */
  readonly deadlineMs?: number;
  /** How long it waits for a server that is still starting; without it, as a client's request can. Never beyond the deadline. */
  readonly startWaitMs?: number;
  /** The capabilities that the call has come through, outermost first, by exposed name. */
  readonly path?: readonly string[];
  /** How many more tool calls everything below may make together. */
  readonly budget?: CallBudget;
  /** Who asks: those who wait for the same thing get it by turns. */
  readonly caller?: string;
  /** Who that is, where clients come in with a token. */
  readonly principal?: Principal;
  /**
   * The client's session, which `resume: "last"` is about: a connection, or on the command line a folder. A modern client
   * over HTTP has none; its principal is used.
   */
  readonly session?: string;
  /** Which version of the capability is called, where its name says so; for this call alone. */
  readonly capabilityVersion?: number;
  /** What the client calls itself at its handshake. */
  readonly clientName?: string | undefined;
  /** SHA-256 of the source of the outermost run, for rules about one script. */
  readonly script?: string;
  /** A person's yes to this very call. It is not passed on to what the call starts. */
  readonly permit?: Permit | undefined;
  /** What the run has seen so far; one object for a run and all that it starts. */
  readonly flow?: RunFlow;
  /** What a person calls what they run, such as the name of its file; a run without an intent is listed under it. */
  readonly title?: string;
  /** What the client's profile lets it use; without one, everything. */
  readonly view?: ToolView;
  /** Hears what the tool reports on the way, untouched: `{progress, total?, message?}`. */
  readonly onProgress?: (progress: JsonObject) => void;
  /** Hears of the run that the call has started, as soon as it is on record; only where the run could be detached. */
  readonly onRun?: (run: RunUnderWay) => void;
  /** Hears what the server says unasked meanwhile, such as log messages; for a client that hears it with its answer. */
  readonly onNotice?: (method: string, params: JsonObject) => void;
  /**
   * What becomes of a task that a server answers with: the caller takes it, or the server is not told that anyone here
   * knows tasks. Without it, the task is followed to its end, and the caller sees one call with one result.
   */
  readonly tasks?: "passed" | "declined";
  /** Where a task that the call becomes is on record. */
  readonly taskRecord?: TaskRecord;
  /** HTTP headers that the tool asks for beside its arguments. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The trace that the call belongs to, for tracing systems. Nothing is decided by it. */
  readonly trace?: TraceContext;
  /** Who to ask when the server asks back. */
  readonly client?: ClientHandle;
  /** The client is asked in answers instead, and this is what it said with this request. */
  readonly modern?: ModernRequest;
  /** `_meta` of the client's request, without what belongs to its own connection. */
  readonly meta?: JsonObject;
}

/** A task of a server, by the server's own id for it. */
export interface ServerTask {
  readonly server: string;
  readonly taskId: string;
}

/** The record of a task that a call becomes, so that the same call, made again, goes on with the task. */
export interface TaskRecord {
  /** What the call became before: the task is followed, and the call is not sent again. */
  readonly begun?: ServerTask;
  /** Puts a task on record before it is followed. False where another owner has the run: then it is let go of. */
  note(task: ServerTask): Promise<boolean>;
  /** Whether the task is followed later: then a caller that gives up does not cancel it. */
  goesOn(): boolean;
}

/** A run that a client waits for, and that could go on without it. */
export interface RunUnderWay {
  readonly runId: string;
  /** Makes it a background run. False where it has ended meanwhile, or another process has taken it over. */
  detach(this: void): Promise<boolean>;
}

/** What has flowed into a run: it grows and never shrinks. */
export interface RunFlow {
  /** Answers of tools that anybody may have written into, by exposed name. */
  readonly untrusted: Set<string>;
  /** Answers of tools or servers that the config marks as private. */
  readonly private: Set<string>;
}

/** The step that a call is, for a run that the call starts. */
interface CallStep {
  readonly key: string;
  /** The run that the same step started before: this one goes on from there. */
  readonly resumes?: ResumedRun;
}

export interface ResumedRun {
  readonly runId: string;
  readonly decisions?: UncertainDecisions;
}

/** What to do about each call, by the run and the key of its step. */
export type UncertainDecisions = ReadonlyMap<string, UncertainAnswer>;

/** What to do about a call that was sent and whose outcome is not known. */
export type UncertainAnswer = "retry" | "skip" | { readonly result: Json };

export interface SensitiveValue {
  readonly name: string;
  readonly value: string;
}

/** One object for a run and all that it starts, so that no level can reset it. */
export interface CallBudget {
  readonly callsMax: number;
  callsLeft: number;
}

export type CallTool = (
  name: string,
  args: JsonObject,
  context: CallContext,
) => Promise<ToolResult<ToolAnswer>>;

/**
 * The one shape that upstream servers, the library and the built-in nodes share. Names are the source's own, not exposed
 * ones. No method throws; `call` of a closed source fails with `TOOL_UNAVAILABLE`.
 */
export interface ToolSource {
  readonly id: string;
  list(context: CallContext): Promise<ToolResult<Offer>>;
  readonly call: CallTool;
  /**
   * Passes on what is neither listing nor calling tools: `resources/read`, `resources/subscribe`, `prompts/get`,
   * `completion/complete`. Names and URIs are the source's own. A source without it has only tools.
   */
  readonly request?: (
    method: string,
    params: JsonObject,
    context: CallContext,
  ) => Promise<ToolResult<JsonObject>>;
  /** Passes a notification on, such as `notifications/roots/list_changed`. Best effort. */
  readonly notify?: (method: string, params: JsonObject) => void;
  /** Hears notifications other than changes of the list: log messages, updated resources. */
  readonly notified?: (listener: NotificationListener) => () => void;
  /** Whether its process runs and has not finished its handshake. */
  readonly starting?: () => Starting | undefined;
  /** What its calls go over now, undefined where nothing is open: over another one, another program may answer. */
  readonly connection?: () => object | undefined;
  /** What the source says of itself, asking it first where it was not asked yet. */
  readonly describe?: (context: CallContext) => Promise<ToolResult<SourceDescription>>;
  /** Tells when a list may have changed, and which one where it is known; returns how to stop listening. */
  changed(listener: (what?: ListKind) => void): () => void;
  close(): Promise<void>;
}

/** The lists that a source may announce a change of; templates are announced with the resources. */
export type ListKind = "tools" | "resources" | "prompts";

/** What a server says of itself at its handshake. */
export interface SourceDescription {
  readonly capabilities: JsonObject;
  readonly serverInfo: JsonObject;
  readonly instructions?: string;
}

/** With a client, the notification is for that one alone; without, for every one that it concerns. */
export type NotificationListener = (method: string, params: JsonObject, client?: ClientHandle) => void;

/**
 * A built-in node type that acts: `http`, `read_file`. It is called like a tool, and only by workflows. Like a source it
 * never throws.
 */
export interface NodeType {
  /** Its name is the node type. */
  readonly definition: ToolDefinition;
  /** Parameters that are taken as they are written: no template in them is filled in. */
  readonly rawParams: readonly string[];
  /** Whether this very call may be made twice without harm. */
  isRepeatable(params: JsonObject): boolean;
  /** Fails where a call with these parameters is sure to be refused; those that hold templates are left out. Nothing is done. */
  precheck?(params: JsonObject): Promise<ToolResult<unknown>>;
  call(params: JsonObject, context: CallContext): Promise<ToolResult<Json>>;
}
