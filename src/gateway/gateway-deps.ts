/** What the whole gateway, the profiles and the meta-tools are made of. */
import type { JsonObject } from "../core/json.ts";
import type { Effect } from "../core/rule.ts";
import type { Log } from "../core/log.ts";
import type { Redactors } from "../text/redactors.ts";
import type { ToolResult } from "../core/result.ts";
import type { CurrentCapability } from "../core/store.ts";
import type { CallContext, Component } from "../core/tool.ts";
import type { LookUpTool } from "../library/contracts.ts";
import type { Drafts } from "../library/drafts.ts";
import type { CapabilitySaver } from "../library/save-capability.ts";
import type { Library } from "../library/library.ts";
import type { Registry } from "../registry/registry.ts";
import type { Runs } from "../runs/runs.ts";
import type { Traces } from "../runs/trace.ts";
import type { Exposure, ToolTokens } from "./exposure.ts";
import type { HeldCalls } from "./held-calls.ts";
import type { HasRun } from "./meta-tools/draft-view.ts";
import type { IdleServers } from "./meta-tools/meta-tool.ts";
import type { FindReach } from "./meta-tools/run-view.ts";
import type { SealedStates } from "./sealed-state.ts";
import type { BareSubscriptions, RunningServers } from "./server-events.ts";
import type { TaskIds } from "./tasks/task-id.ts";

export interface GatewayDeps {
  readonly registry: Registry;
  readonly library: Library;
  readonly drafts: Drafts;
  readonly runs: Runs;
  readonly traces: Traces;
  readonly capabilitySaver: CapabilitySaver;
  /** What is known of a tool now, for what was written against it. */
  readonly lookUpTool: LookUpTool;
  /** What is to be said of a version whose tools have changed, or that it may not run. */
  readonly checkContracts: (current: CurrentCapability) => ToolResult<readonly string[]>;
  /** Has the registry read the library again where it has changed. */
  readonly freshenLibrary: () => Promise<void>;
  /** Has the search know what other processes learnt. */
  readonly freshenSearch?: () => Promise<void>;
  /** A client has called a tool of a server, or something kept, with success. */
  readonly toolCalled?: (tool: string) => void;
  /** Whether a capability is among those that clients are shown. */
  readonly isListed: (tool: string) => boolean;
  /** The ids of the servers that may be used. */
  readonly servers: () => readonly string[];
  /** The source of the static tools of the program that embeds the gateway: it lists them itself. */
  readonly programId?: string | undefined;
  /** The ids of the servers that cannot be used as things are. */
  readonly idle?: () => IdleServers;
  /** Tells when `servers`, `idle` or `exposure` has changed. */
  readonly configChanged: (listener: () => void) => () => void;
  readonly exposure: () => Exposure;
  /** What the config or a server says that a tool does, as a mark for those who choose one. */
  readonly effectSaid?: (component: Component) => Effect | undefined;
  /** Changes with the config of the servers; without it, their names alone are looked at. */
  readonly serversMark?: () => string;
  /** Resolves when the servers of the config are registered: one that is replaced ends first. */
  readonly serversReady?: () => Promise<void>;
  /** What tools cost; without it, `auto` goes by an estimate. */
  readonly toolTokens?: ToolTokens;
  /** Know the secrets of the config, and of what a run is given. */
  readonly redactors?: Redactors;
  /** What servers say unasked during a call of a modern client is for that call. */
  readonly serverNotified: RunningServers["notified"];
  /** To which resources clients have subscribed by the server's own URI; without it, they hear only of exposed ones. */
  readonly bareSubscriptions?: BareSubscriptions;
  /** Calls of modern clients that servers ask back; its maker closes it. */
  readonly heldCalls: HeldCalls;
  /** Makes and opens what modern clients are given to come back with. */
  readonly states: SealedStates;
  /** Makes and opens the ids under which clients know the tasks of servers. */
  readonly taskIds: TaskIds;
  /** A call that the config denies was refused. */
  readonly denied: (context: CallContext, tool: string, details: JsonObject) => void;
  /** A client has used one of the five: more will follow. */
  readonly metaToolAnswered: () => void;
  /** A client was given the list of tools: it may run code next. */
  readonly toolsListed?: (context: CallContext) => void;
  readonly version: string;
  /** How long a call may take before a client that knows tasks gets one; without it, 10 s. */
  readonly taskAfterMs?: number;
  /** What a run used; without it, no run is shown in a profile. */
  readonly findReach?: FindReach;
  /** Whether somebody has run exactly this; without it, a token with limits has no drafts. */
  readonly hasRun?: HasRun;
  readonly log: Log;
}
