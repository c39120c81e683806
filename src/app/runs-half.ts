/** The half that runs: the sandbox, runs with their journal, and the library of what was saved. */
import { CAPABILITIES_ID } from "../core/names.ts";
import { VERSION } from "../core/version.ts";
import { createDraftFolder } from "../library/draft-folder.ts";
import { createDrafts, type Drafts } from "../library/drafts.ts";
import { createStoredDrafts } from "../library/stored-drafts.ts";
import { createLibraryEditor } from "../library/edit-library.ts";
import { createCapabilitySaver, type RecordChange } from "../library/save-capability.ts";
import { createLibrarySource } from "../library/library-source.ts";
import { createLibrary } from "../library/library.ts";
import { createSourceFinder } from "../library/named-source.ts";
import { createNodeTypes } from "../nodes/node-types.ts";
import { createStarterFinder } from "./background/starter.ts";
import { launch } from "../process/launch.ts";
import { createRuns } from "../runs/runs.ts";
import { createTraces } from "../runs/trace.ts";
import { createCodeAnalysis } from "../sandbox/analysis/analysis.ts";
import { createSandbox } from "../sandbox/sandbox.ts";
import { createArgumentCheck } from "../sandbox/schema/argument-check.ts";
import { createTypeCheck } from "../sandbox/types/type-check.ts";
import { createAnswerScan } from "./trust/answer-scan.ts";
import type { CallRecording } from "./call-recording.ts";
import { createCodeDirectory, createToolLookUp } from "./code-directory.ts";
import { explainAbsent, idleServers, nodePolicyOf } from "./config-view.ts";
import { authorName, ownContext, type Foundation } from "./foundation.ts";
import { readLive } from "./live.ts";
import type { CallUnderWay } from "../runs/journal/under-way.ts";
import type { CurrentCapability } from "../core/store.ts";
import { findStartProblem, startKept, type KeptStart } from "./background/start-kept.ts";
import { viewOf } from "./token-inquiry.ts";
import type { ToolsHalf } from "./tools-half.ts";

export type RunsHalf = ReturnType<typeof openRuns>;

/**
 * In the folder, where people and agents write them; on a store that several machines share, in the store, and the folder
 * of this home is only read: a draft that only one gateway has could not be found through another.
 */
function openDrafts({ store, config, scope, log }: Foundation): Drafts {
  const folder = createDraftFolder(config.current().draftsFolder);
  const leftBehind = (error: unknown): void => log.warn("drafts.leave.failed", { error });
  if (!store.replicas.isShared) return createDrafts({ place: folder, scope, leftBehind });
  return createDrafts({ place: createStoredDrafts(store.drafts), alsoRead: [folder], scope });
}

export function openRuns(
  foundation: Foundation,
  tools: ToolsHalf,
  recording: CallRecording,
  { enqueued }: { readonly enqueued: () => void },
) {
  const { config, log, home, store, replica, redactors, trail, watching, calls, scope, revisions } =
    foundation;
  const { registry, guarding, experience, live, usable, programId } = tools;
  const library = createLibrary(store.capabilities, scope);
  const drafts = openDrafts(foundation);
  const sources = createSourceFinder({ library, drafts, capabilities: store.capabilities });
  const limits = () => config.current().sandbox;
  const capabilityNames = {
    liveName: (tool: string) => source.liveName(tool),
    capabilityId: (tool: string) => source.idOf(tool),
    programId,
  };
  const freshenLibrary = async (): Promise<void> => {
    if (await source.lookForChanges()) await registry.refresh(CAPABILITIES_ID, ownContext());
  };
  let interruptedCount = 0;
  const runs = createRuns({
    store: store.runs,
    liveness: replica,
    replicas: store.replicas,
    sandbox: createSandbox({ launch, memoryMb: () => limits().memoryMb }),
    analysis: createCodeAnalysis(),
    types: createTypeCheck({ launch }),
    args: createArgumentCheck(),
    nodes: createNodeTypes({
      policy: () => nodePolicyOf(config.current()),
      version: VERSION,
      startProcess: launch,
    }),
    directory: createCodeDirectory({
      registry,
      freshenLibrary,
      ...capabilityNames,
      servers: usable,
      absent() {
        const { untrusted, disabled } = idleServers(config.current());
        return [...untrusted, ...disabled];
      },
      explainAbsent: (id) => explainAbsent(config.current(), id),
    }),
    callTool: registry.call,
    guard: guarding.guard,
    spend: (id, expiresAt) => store.seals.spend(id, expiresAt),
    approvalMs: () => config.current().limits.approvalMs,
    scanAnswer: createAnswerScan(foundation, tools),
    recordAsked: (...asked) => recording.recordAsked(...asked),
    findSource: (name) => sources.find(name),
    findVersion: (id, version) => sources.version(id, version),
    recordApproval: (runId, details, by) => trail.recordChange(by, "run.approval", runId, details),
    person: authorName,
    enqueued,
    runInterrupted: () => void interruptedCount++,
    findStarter: createStarterFinder({
      config: () => config.current(),
      tools: registry.tools,
      async findToken(name) {
        const found = await foundation.tokens.find(name);
        return found.success ? found.data : undefined;
      },
    }),
    runSucceeded: (used, intent) => experience.noteRun(used, intent),
    callBegun(call) {
      live.begin();
      return calls.begin(call);
    },
    redactors,
    scope,
    limits,
    log,
    telemetry: watching.telemetry,
    runEnded: watching.runEnded,
  });
  replica.sweepWith(() => runs.sweep());
  const lookUpTool = createToolLookUp({ registry, servers: usable, ...capabilityNames });
  const source = createLibrarySource({
    capabilities: store.capabilities,
    scope,
    runs,
    lookUpTool,
    changedTools: () => config.current().library.changedTools,
  });
  registry.add(source, { isOwn: true });
  revisions.on("library", (revision) => source.lookForChanges(revision));
  guarding.useLibrary(source);
  const saving = {
    flowWarning: guarding.flowWarning,
    store,
    kept: (tool: string, intent: string) => experience.noteRun([tool], intent),
    runs,
    scope,
    author: authorName,
    redactors,
    record: (...change: Parameters<RecordChange>) => trail.recordChange(...change),
  };
  const callsUnderWay = (runId: string): readonly CallUnderWay[] => {
    const elsewhere = readLive(home).filter(({ pid }) => pid !== process.pid);
    return [...calls.list(0), ...elsewhere.flatMap((other) => other.calls)]
      .filter((call) => call.runId === runId)
      .toSorted((a, b) => a.seq - b.seq);
  };
  const kept = {
    library,
    drafts,
    runs,
    checkContracts: (current: CurrentCapability) => source.checkContracts(current),
    freshenLibrary,
    viewFor(profile: string) {
      const rules = config.current().profiles[profile];
      return rules && viewOf(profile, rules, registry.tools());
    },
  };
  return {
    runs,
    /** Runs of dead processes that this one has ended. */
    interruptedCount: () => interruptedCount,
    startKept: (start: KeptStart) => startKept(kept, start),
    findStartProblem: (start: Parameters<typeof findStartProblem>[1]) => findStartProblem(kept, start),
    callsUnderWay,
    library,
    drafts,
    source,
    lookUpTool,
    freshenLibrary,
    capabilitySaver: createCapabilitySaver(saving),
    libraryEditor: createLibraryEditor({
      ...saving,
      library,
      servers: usable,
      hidesTools: () => config.current().servers.some((server) => server.tools.exceptCapabilities === true),
    }),
    traces: createTraces({
      store: store.runs,
      liveness: replica,
      scope,
      redactors,
      underWay: callsUnderWay,
    }),
  };
}
