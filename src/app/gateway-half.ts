/** What clients see of both halves: the gateway, and one for each profile. */
import { VERSION } from "../core/version.ts";
import { createWorkflowExecution } from "../gateway/execute-workflow.ts";
import { createGateway } from "../gateway/whole-gateway.ts";
import type { GatewayDeps } from "../gateway/gateway-deps.ts";
import { createKnownList } from "../gateway/known-tools.ts";
import { createHeldCalls } from "../gateway/held-calls.ts";
import { defineMetaTools } from "../gateway/meta-tools/meta-tools.ts";
import { createReachFinder } from "../gateway/meta-tools/run-view.ts";
import { createSealedStates } from "../gateway/sealed-state.ts";
import { createBareSubscriptions } from "../gateway/server-events.ts";
import { createTaskIds } from "../gateway/tasks/task-id.ts";
import { createTokenCounts } from "../gateway/token-counts.ts";
import { createTokenReports } from "../gateway/token-report.ts";
import { exposureOf, idleServers, onVisibleChange, serversMarkOf } from "./config-view.ts";
import { backgroundAfter } from "../timing/after.ts";
import type { Foundation } from "./foundation.ts";
import type { Front } from "./contract.ts";
import { createProfiles } from "./profiles.ts";
import type { RunsHalf } from "./runs-half.ts";
import type { ToolsHalf } from "./tools-half.ts";

/** By then the answer of the meta-tool is on its way, and no model has read it yet. */
const WARM_AFTER_MS = 10;

export type GatewayHalf = ReturnType<typeof openGateways>;

export function openGateways(foundation: Foundation, tools: ToolsHalf, half: RunsHalf, front: Front) {
  const { config, log, store, replica, redactors, trail } = foundation;
  const { registry, servers, experience, usable, programId, guarding } = tools;
  const { runs, library, drafts, source, capabilitySaver, traces, lookUpTool, freshenLibrary } = half;
  const states = createSealedStates({
    store: store.seals,
    replica: store.replicas.isShared ? replica.id : undefined,
  });
  const heldCalls = createHeldCalls({ states });
  const toolTokens = createTokenCounts({ store, log });
  const isServing = () => front.stdio !== undefined || front.http !== undefined;
  let isWarm = false;
  const deps: GatewayDeps = {
    registry,
    runs,
    traces,
    hasRun: async (text, principal) =>
      (await store.runs.findSucceeded(config.current().scope, text, { principal })) !== undefined,
    findReach: createReachFinder({ runs: store.runs, capabilities: store.capabilities }),
    lookUpTool,
    freshenLibrary,
    freshenSearch: () => experience.freshen(),
    toolCalled: experience.noteCall,
    isListed: (tool) => source.isListed(tool),
    checkContracts: (current) => source.checkContracts(current),
    capabilitySaver,
    library,
    drafts,
    servers: usable,
    programId,
    idle: () => idleServers(config.current()),
    configChanged: (listener) => onVisibleChange(config, listener),
    exposure: () => config.current().exposure,
    effectSaid: ({ source: server, definition }) => guarding.effects.said(server, definition),
    serversMark: () => serversMarkOf(config.current()),
    serversReady: () => servers.reconcile(config.current()),
    toolTokens,
    redactors,
    serverNotified: (listener) => servers.notified(listener),
    bareSubscriptions: createBareSubscriptions(),
    states,
    taskIds: createTaskIds(store.seals),
    heldCalls,
    denied: (context, tool, details) => trail.recordDenial(context, tool, details),
    // A client that looks for tools runs code next; a command that lists them does not.
    metaToolAnswered: () => void backgroundAfter(WARM_AFTER_MS, () => isServing() && runs.warm()),
    toolsListed(context) {
      if (isWarm || !isServing()) return;
      runs.warmFor(context).then(
        (warmed) => (isWarm ||= warmed),
        (error: unknown) => log.warn("runs.warm.failed", { error }),
      );
    },
    version: VERSION,
    log,
  };
  return {
    gatewayFor: createProfiles({
      config,
      core: createGateway(deps),
      deps,
      redactors,
      servers,
    }),
    listKnown: createKnownList(deps, (profile) => exposureOf(config.current(), profile)),
    toolDefinitions: () => registry.getToolDefinitions(defineMetaTools(deps)),
    executeWorkflow: createWorkflowExecution(deps, () => redactors.current()),
    states,
    heldCalls,
    reports: createTokenReports({
      gateway: deps,
      counts: toolTokens,
      profiles: () => config.current().profiles,
    }),
    close: () => toolTokens.close(),
  };
}
