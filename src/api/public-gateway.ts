/**
 * What a program gets from `createGateway`. This is the contract of the package: nothing in it refers to how the
 * gateway is made. Everything that returns a `ToolResult` never throws or rejects, whatever it is given.
 */
import type { ToolErrorCode } from "../core/errors.ts";
import type { Json, JsonObject } from "../core/json.ts";
import type { LogEntry, LogLevel } from "../core/log.ts";
import type { CacheEvent, EntryEvent, RegistryEvent } from "../core/registry-event.ts";
import type { ToolResult } from "../core/result.ts";
import type { AnthropicTool, ToolAnnotations, ToolAnswer, ToolDefinition } from "../core/tool.ts";

export interface GatewayOptions {
  /** The config file; otherwise the one that `repertoire config path` names. */
  readonly configPath?: string;
  /** The home folder; otherwise REPERTOIRE_HOME or the XDG data folder. */
  readonly home?: string;
  /** The project folder, in place of the current one. */
  readonly cwd?: string;
  /** Tools of the program itself. Their names win over those of servers. */
  readonly tools?: readonly StaticTool[];
  /** Another name for `tools`; where both are given, they count together. */
  readonly staticTools?: readonly StaticTool[];
  /**
   * Where code and workflows find these tools: `mcp.<toolsNamespace>.<name>` and `<toolsNamespace>__<name>`. `program`
   * without it. A server of the config with this id is refused.
   */
  readonly toolsNamespace?: string;
  /**
   * Where log lines go: to a function, redacted, or to stderr from a level on. Without it nothing is printed, and lines
   * go to `log.file` of the config where it names one.
   */
  readonly log?: LogLevel | ((entry: LogEntry) => void);
}

/** A tool that the program answers itself. */
export interface StaticTool {
  /** Letters, digits, `_` and `-`, at most 64 of them. A meta-tool's name is refused. */
  readonly name: string;
  readonly description: string;
  /** Arguments are checked against it, and its defaults are filled in, before `call` is called. */
  readonly inputSchema: JsonObject;
  /** Of the result, which is then an object that fits it. Code is checked against it. */
  readonly outputSchema?: JsonObject;
  /** They are believed: `readOnlyHint` and `idempotentHint` say that a call can be made again, after a crash too. */
  readonly annotations?: ToolAnnotations;
  /** For those who look for tools. */
  readonly metadata?: {
    readonly category?: string;
    readonly version?: string;
    readonly tags?: readonly string[];
  };
  /** How long a call may take; without it, as long as its caller waits. */
  readonly timeoutMs?: number;
  /**
   * Returns plain JSON, or nothing. What it throws is a failure with that message. Its arguments can be given the type that
   * `inputSchema` says: `call({ text }: { text: string })`.
   */
  call(args: JsonObject, context: StaticCallContext): unknown;
}

export interface StaticCallContext {
  readonly traceId: string;
  /** Aborted when nobody waits for the answer any more: the call was cancelled, took too long, or the gateway closes. */
  readonly signal: AbortSignal;
  /** Tells the caller how far the call is: `{ progress, total?, message? }`. Anything else is passed over. */
  readonly onProgress: (progress: JsonObject) => void;
}

export interface CallOptions {
  /** Aborting it cancels the call. */
  readonly signal?: AbortSignal;
  /** Under it the log has everything about this call; without it, a new one. */
  readonly traceId?: string;
  /** Hears what the tool reports on its way: `{ progress, total?, message? }`. */
  readonly onProgress?: (progress: JsonObject) => void;
}

/**
 * `data` is what code in `execute` would get: the structured content, else a single text (parsed where it is JSON),
 * else the content blocks. `answer` is the whole MCP result, which a failure has too: for a model to read.
 */
export type ToolCallResult = ToolResult<Json> & { readonly answer: ToolAnswer };

/** A tool that can be called now. */
export interface RegisteredTool {
  /** The name that `callTool` takes. */
  readonly name: string;
  /** Its server; `mcp` for what was kept, null for a static tool. */
  readonly server: string | null;
  /** The name that the server gives it. */
  readonly originalName: string;
  /** As MCP describes it, under `name`. */
  readonly definition: ToolDefinition;
}

/** A resource of a server, or a template (RFC 6570) of resources. */
export interface RegisteredResource {
  /** The URI that `readResource` takes, or the template of such URIs. */
  readonly uri: string;
  readonly isTemplate: boolean;
  readonly server: string;
  /** The URI or template that the server gives it. */
  readonly originalUri: string;
  readonly definition: JsonObject;
}

/** What is known of a configured server's lists. */
export interface RegisteredServer {
  readonly id: string;
  /**
   * `pending`: not asked yet, or it has not answered. `ready`: its list is good. `stale`: its list has run out and is
   * read again when it is next needed. `failed`: it could not be read when it was last asked; what was read before
   * stays.
   */
  readonly state: "pending" | "ready" | "stale" | "failed";
  readonly toolCount: number;
  readonly error?: { readonly code: ToolErrorCode; readonly message: string };
  /** What was left out of its lists, and why. */
  readonly rejected: readonly {
    readonly code: string;
    /** What kind of entry it is: a tool, a prompt, a resource, a template. */
    readonly kind: string;
    readonly name: string;
    readonly reason: string;
  }[];
}

export interface DiscoverOptions {
  /** How long to wait for servers; those that take longer go on, and events report them. 60 s without it. */
  readonly waitMs?: number;
  readonly traceId?: string;
}

/** How many tools the servers that were asked for have now. */
export interface Discovered {
  readonly toolCount: number;
}

/** The servers that had a list, which is asked for again. */
export interface Invalidated {
  readonly servers: readonly string[];
}

export type GatewayEvent = RegistryEvent;
export type GatewayEventKind = GatewayEvent["kind"];
/** The event that listeners of one kind get. */
export type GatewayEventOf<Kind extends GatewayEventKind> = Kind extends CacheEvent["kind"]
  ? CacheEvent & { readonly kind: Kind }
  : EntryEvent & { readonly kind: Kind };

/** The tools that are known: of servers, what was kept, and static ones. Looking starts no server. */
export interface ToolRegistry {
  /** How many there are. */
  readonly size: number;
  /** By the name that `callTool` takes. */
  has(name: string): boolean;
  get(name: string): RegisteredTool | undefined;
  /** By its server (`mcp` for what was kept, null for a static tool) and the name that the server gives it. */
  find(server: string | null, originalName: string): RegisteredTool | undefined;
  /** All, or those of one server, in the order of their names. */
  list(server?: string | null): RegisteredTool[];
}

/** The resources and templates of servers that are known. Looking starts no server. */
export interface ResourceRegistry {
  readonly size: number;
  /** By the URI that `readResource` takes, or the template of such URIs. */
  has(uri: string): boolean;
  get(uri: string): RegisteredResource | undefined;
  /** By its server and the URI or template that the server gives it. */
  find(server: string, originalUri: string): RegisteredResource | undefined;
  list(server?: string): RegisteredResource[];
}

export interface GatewayRegistry {
  readonly tools: ToolRegistry;
  readonly resources: ResourceRegistry;
}

/** A gateway in this process. */
export interface Gateway extends AsyncDisposable {
  /** What is known now of tools and resources. */
  readonly registry: GatewayRegistry;
  /**
   * What a client would be shown: meta-tools, what was kept, static tools, and tools of servers where the exposure says
   * so. Rejects with a `RepertoireError` where the database cannot be read.
   */
  listTools(): Promise<ToolDefinition[]>;
  /**
   * All tools that are known now, in the format of Anthropic's API and in the order of their names; no server is
   * started.
   */
  getToolDefinitions(): AnthropicTool[];
  /**
   * The registry of tools: those of servers, what was kept, and static ones, as far as they are known now; of one
   * server where it is named. The five meta-tools are in the two lists above. No server is started.
   */
  tools(server?: string | null): RegisteredTool[];
  /** One of them, by the name that `callTool` takes. */
  findTool(name: string): RegisteredTool | undefined;
  /** The registry of resources and templates: all that are known now, or those of one server. */
  resources(server?: string): RegisteredResource[];
  readResource(uri: string, options?: CallOptions): Promise<ToolResult<JsonObject>>;
  /** The configured servers that are enabled, and what is known of their lists. */
  servers(): RegisteredServer[];
  /** Calls any tool by name, starting its server where needed. */
  callTool(name: string, args?: JsonObject, options?: CallOptions): Promise<ToolCallResult>;
  /**
   * Asks the servers whose lists are missing or too old, or one server, and waits for them. It fails when one of them
   * cannot be read; the tools that were known stay, and those of the others are there.
   */
  discover(server?: string, options?: DiscoverOptions): Promise<ToolResult<Discovered>>;
  /** Takes over the config as it is on disk now, then asks all servers, or one, whatever is known of them. */
  refresh(server?: string, options?: DiscoverOptions): Promise<ToolResult<Discovered>>;
  /**
   * Has the list of a server, or of all, asked for again when it is next needed, in every process of this home. Nothing is
   * asked now: what is known stays listed and can be called until the server has answered.
   */
  invalidate(server?: string): Promise<ToolResult<Invalidated>>;
  /** Returns how to stop listening. */
  on<Kind extends GatewayEventKind>(kind: Kind, listener: (event: GatewayEventOf<Kind>) => void): () => void;
  /** Ends runs where they are, to be resumed, and every server's process. */
  close(): Promise<void>;
}
