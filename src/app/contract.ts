/** What a running gateway can be asked by the command line, by programs and by the servers in front of it. */
import type { Readable } from "node:stream";
import type { ConfigSource } from "../config/source.ts";
import type { JsonObject } from "../core/json.ts";
import type { ToolResult } from "../core/result.ts";
import type { QueueStats } from "../core/run-queue.ts";
import type { Store } from "../core/store.ts";
import type { AnthropicTool, CallContext, ToolDefinition, ToolSource, ToolView } from "../core/tool.ts";
import type { ExecuteWorkflow } from "../gateway/execute-workflow.ts";
import type { Gateway } from "../gateway/gateway.ts";
import type { SearchKnown } from "../gateway/known-tools.ts";
import type { TokenReports } from "../gateway/token-report.ts";
import type { Drafts } from "../library/drafts.ts";
import type { LibraryEditor } from "../library/edit-library.ts";
import type { ImportExport } from "../library/import-export.ts";
import type { Library } from "../library/library.ts";
import type { Output } from "../process/stdout.ts";
import type { Catalogue } from "../registry/catalogue.ts";
import type { Registry } from "../registry/registry.ts";
import type { CallUnderWay } from "../runs/journal/under-way.ts";
import type { Runs } from "../runs/runs.ts";
import type { Traces } from "../runs/trace.ts";
import type { TokenEntry } from "../server/auth/token.ts";
import type { Tokens } from "../server/auth/tokens.ts";
import type { ConsoleDeps } from "../server/http/console-front.ts";
import type { StdioConnection } from "../server/stdio/serve-stdio.ts";
import type { Logins } from "../servers/logins.ts";
import type { Redactors } from "../text/redactors.ts";
import type { ConfigurableLog } from "../telemetry/log.ts";
import type { Declarations } from "./code-directory.ts";
import type { HttpAddress, HttpFront } from "./http-front.ts";
import type { InboxItem } from "./inbox.ts";
import type { PinReview } from "./trust/pin-review.ts";
import type { StarterView } from "./background/starters.ts";
import type { FindGateway } from "./profiles.ts";
import type { CallQuestion, ExplainedCall } from "./trust/explain-call.ts";
import type { ServerView } from "./server-view.ts";
import type { ReachedTool } from "./token-reach.ts";
import type { GuardedCall } from "../core/guard.ts";
import type { Effect } from "../core/rule.ts";

/**
 * What the process serves. A command serves nothing: nothing is counted or traced, and it waits for a whole server
 * start.
 */
type Serves = "stdio" | "http" | undefined;

export interface AppOptions {
  readonly config: ConfigSource;
  readonly log: ConfigurableLog;
  readonly serves?: Serves;
  /** A program of somebody else has it for as long as it runs: like one that serves, it follows what other processes change. */
  readonly isEmbedded?: boolean;
  /** The tools of the program that embeds the gateway. */
  readonly program?: ProgramTools | undefined;
  /** How long to wait for a database that is away, where that is not as the config says. */
  readonly storeWaitMs?: number;
}

/** The static tools of the program that embeds the gateway, as a source among the others. */
export interface ProgramTools {
  readonly source: ToolSource;
  /** The names that the program gives them; they win over those of servers. */
  readonly names: readonly string[];
}

export interface App extends ImportExport, TokenReports, Inquiries, TokenInquiry {
  readonly gateway: Gateway;
  /** What `tools/list` of the gateway answers. */
  listTools(): Promise<ToolDefinition[]>;
  /** What is known now, meta-tools and tools of servers, in the format of Anthropic's API; nothing is started. */
  toolDefinitions(): AnthropicTool[];
  readonly executeWorkflow: ExecuteWorkflow;
  readonly registry: Registry;
  readonly store: Store;
  /** The schedules and hooks of the config, with what is wrong with them. */
  listStarters(this: void): Promise<readonly StarterView[]>;
  /** How many background runs are due, for how long, and how many were given up. */
  queueStats(this: void): Promise<QueueStats>;
  readonly library: Library;
  /** Know the secrets of the config: what people are shown goes through one of them. */
  readonly redactors: Redactors;
  /** The gateway's own tokens. */
  readonly tokens: Tokens;
  readonly runs: Runs;
  readonly drafts: Drafts;
  readonly traces: Traces;
  /** Calls of a run that are not answered yet, in whichever process; they need not be on record. */
  readonly callsUnderWay: (runId: string) => readonly CallUnderWay[];
  /** Changes and tests capabilities. */
  readonly libraryEditor: LibraryEditor;
  /** Logs in to remote servers, and out of them. */
  readonly logins: Logins;
  /** What is held of servers, and the decisions of a person on it. */
  readonly pinReview: PinReview;
  /** The gateway as a profile shows it; undefined where there is no such profile. */
  readonly gatewayFor: FindGateway;
  /** What a profile lets its clients see; undefined where there is no such profile. */
  viewFor(profile: string): ToolView | undefined;
  /** What `tools/list` would answer from what is known, through a profile or without one; nothing is started. */
  listKnown(view?: ToolView): Promise<readonly ToolDefinition[]>;
  /** Stops a server; it starts again when it is needed. */
  restartServer(id: string): Promise<void>;
  /** Reads the library again where it has changed. */
  freshenLibrary(): Promise<void>;
  /** Serves one client over a pair of streams. */
  connectStdio(input: Readable, output: Output, profile?: string): Promise<StdioConnection>;
  /** Serves many clients over HTTP; with a console, also people and programs that operate the gateway. */
  listenHttp(address: HttpAddress, options?: ListenOptions): Promise<HttpFront>;
  /** How many other processes serve clients of this home. */
  gatewayCount(this: void): number;
  /** Takes over the config as it is on disk now; resolves when servers that are gone have ended. */
  followConfig(): Promise<void>;
  /** Lets calls under way end and be recorded, and ends every run where it is, to be resumed. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

export interface ListenOptions {
  /** The profile that `/mcp` itself is. */
  readonly profile?: string | undefined;
  readonly console?: Omit<ConsoleDeps, "folder" | "seals"> | undefined;
}

/** The clients that are served now. The halves get it before the first client connects. */
export interface Front {
  stdio?: StdioConnection;
  http?: HttpFront;
  isDraining: boolean;
}

/** Questions of commands about servers, tools and workflows. */
export interface Inquiries {
  /** The configured servers, or some, as they are; with `start`, each is started, asked again and timed first. */
  viewServers(
    start: boolean,
    only?: readonly string[],
    /** Called for each server once it was started and asked. */
    asked?: (id: string) => void,
  ): Promise<ServerView[]>;
  /** The ids of the servers that are enabled and trusted. */
  usableServers(): readonly string[];
  /**
   * A tool by its exposed name, or why it cannot be called: unknown, denied, its server is not available. Calls
   * nothing.
   */
  lookUpTool(name: string): Promise<ToolResult<ToolDefinition>>;
  /**
   * What can be called, of all servers or of some, each asked where nothing is known of it yet; after `waitMs`, what is
   * known.
   */
  findTools(options: FindTools): Promise<FoundTools>;
  /** The same from what is known already: no server is asked. */
  knownTools(): Promise<FoundTools>;
  /** The TypeScript of what code can call, of all servers or of some, each asked where nothing is known of it yet. */
  declareTools(servers: readonly string[]): Promise<Declarations>;
  /** The same from what is known already, of what a profile shows. */
  declareKnown(view?: ToolView): Promise<Declarations>;
  /** The search of clients over what is known already, and why each hit is where it is. */
  readonly searchKnown: SearchKnown;
  /** What a call of something would do to the world, as the rules see it. */
  effectOf(call: Pick<GuardedCall, "kind" | "name" | "source" | "definition">): Effect;
  /** How the process of a server is; undefined for a server that is not in use here. */
  serverHealth(id: string): ServerHealth | undefined;
  /** Which rule would decide on a call, from what is known already: nothing is asked, counted or called. */
  explainCall(question: CallQuestion): Promise<ToolResult<ExplainedCall>>;
  /** Everything that waits for a person. */
  inbox(this: void): Promise<readonly InboxItem[]>;
  /** Reads a workflow, looks up its node types and checks it; nothing runs. */
  checkWorkflow(text: string): Promise<ToolResult<CheckedWorkflow>>;
}

interface ServerHealth {
  /** When it is tried again, where it has failed. */
  readonly retryInMs?: number;
  /** The last lines of a process that runs, without secrets. */
  readonly stderr: readonly string[];
}

interface FindTools extends Pick<CallContext, "onProgress"> {
  readonly servers?: readonly string[];
  readonly waitMs: number;
}

/** Tools of servers, and capabilities, whose source is `CAPABILITIES_ID`. */
export interface FoundTools {
  readonly tools: Catalogue["components"];
  /** Servers that have not answered yet. */
  readonly pending: Catalogue["pending"];
  readonly failed: Catalogue["failed"];
}

/** A workflow that could run, and its plan as a drawing. */
interface CheckedWorkflow {
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject;
  readonly nodeCount: number;
  readonly levels: readonly (readonly string[])[];
  /** What is doubtful in the code of its nodes. */
  readonly warnings: readonly string[];
  drawText(): string;
  drawSvg(): Promise<string>;
}

/** What a token can do by one address. */
export interface TokenReach {
  /** Null for the gateway without a profile. */
  readonly profile: string | null;
  /** The config has no such profile. */
  readonly isMissing?: true;
  readonly tools: readonly ReachedTool[];
  /** Servers of which nothing is known yet, so their tools are not among these. */
  readonly pending: readonly string[];
}

export interface TokenInquiry {
  /** For each profile that the token opens, or for the gateway without one. */
  describeToken(entry: TokenEntry): Promise<TokenReach[]>;
}
