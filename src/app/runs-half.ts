/** The half that runs: the sandbox, runs with their journal, and the library of what was saved. */
import { CAPABILITIES_ID } from "../core/names.ts";
import { VERSION } from "../core/version.ts";
import { createLibraryEditor } from "../library/edit-library.ts";
import { createDrafts } from "../library/drafts.ts";
import { createCapabilitySaver, type RecordChange } from "../library/save-capability.ts";
import { createLibrarySource } from "../library/library-source.ts";
import { createLibrary } from "../library/library.ts";
import { createSourceFinder } from "../library/named-source.ts";
import { createNodeTypes } from "../nodes/node-types.ts";
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
import type { ToolsHalf } from "./tools-half.ts";

export type RunsHalf = ReturnType<typeof openRuns>;

export function openRuns(foundation: Foundation, tools: ToolsHalf, recording: CallRecording) {
  const { config, log, home, store, redactors, trail, watching, calls, scope } = foundation;
  const { registry, guarding, experience, live, usable } = tools;
  const library = createLibrary(store.capabilities, scope);
  const drafts = createDrafts(config.current().draftsFolder, scope);
  const sources = createSourceFinder({ library, drafts, capabilities: store.capabilities });
  const limits = () => config.current().sandbox;
  const capabilityNames = {
    liveName: (tool: string) => source.liveName(tool),
    capabilityId: (tool: string) => source.idOf(tool),
  };
  const freshenLibrary = async (): Promise<void> => {
    if (await source.lookForChanges()) await registry.refresh(CAPABILITIES_ID, ownContext());
  };
  const runs = createRuns({
    store: store.runs,
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
  const lookUpTool = createToolLookUp({ registry, servers: usable, ...capabilityNames });
  const source = createLibrarySource({
    capabilities: store.capabilities,
    scope,
    runs,
    lookUpTool,
    changedTools: () => config.current().library.changedTools,
  });
  registry.add(source, { isOwn: true });
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
  return {
    runs,
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
      scope,
      redactors,
      underWay: callsUnderWay,
    }),
  };
}
