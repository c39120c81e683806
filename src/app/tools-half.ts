/** The half that has tools: the servers, the registry over them, and the search. */
import type { JsonObject } from "../core/json.ts";
import { META_TOOL_NAMES } from "../core/meta-tool-names.ts";
import { CAPABILITIES_ID } from "../core/names.ts";
import { VERSION } from "../core/version.ts";
import { WHOLE_START_MS } from "../process/starting.ts";
import { createRegistry } from "../registry/registry.ts";
import { createEmbeddings } from "../search/embeddings/embeddings.ts";
import { createEncoder } from "../search/encoder/encoder.ts";
import { createExperience } from "../search/experience.ts";
import { createPins } from "../trust/pins.ts";
import { GATEWAY } from "../telemetry/audit-trail.ts";
import { createArgumentCheck, type ArgumentCheck } from "../sandbox/schema/argument-check.ts";
import { createServers } from "../servers/configured-servers.ts";
import { systemAfter } from "../timing/after.ts";
import type { CallRecording } from "./call-recording.ts";
import { explainAbsent, isInstalled, trustOf, usableServers } from "./config-view.ts";
import type { AppOptions, Front } from "./contract.ts";
import { ownContext, type Foundation } from "./foundation.ts";
import { openGuard } from "./trust/guarding.ts";
import { openLive } from "./live.ts";
import { liveServerOf } from "./server-view.ts";

/** Longer than any server may take to start and answer without a sign of work. */
export const VIEW_WAIT_MS = 130_000;
/** A call that is answered sooner is not told to other processes. */
const CALL_SHOWN_MS = 500;

export type ToolsHalf = Awaited<ReturnType<typeof openTools>>;

export async function openTools(
  foundation: Foundation,
  front: Front,
  recording: CallRecording,
  { program }: Pick<AppOptions, "program">,
) {
  const { config, log, serves, home, store, redactors, secrets, trail, watching, calls, scope, revisions } =
    foundation;
  const programId = program?.source.id;
  const experience = createExperience({
    uses: store.pastUses,
    scope,
    learnt: (tools) => registry.learnt(tools),
    share: (tools, intent) => registry.shareIntent(tools, intent),
    log,
  });
  const embeddings = createEmbeddings({
    endpoint: () => config.current().search.embeddings,
    store: store.embeddings,
    log,
    after: systemAfter,
    version: VERSION,
  });
  const encoder = createEncoder({ log });
  // A command's servers end with it, and a person can end it: it waits for the whole start.
  const startWaitMs = serves === undefined ? WHOLE_START_MS : undefined;
  const pins = createPins({
    store: store.pins,
    trustOf: (server) => trustOf(config.current(), server),
    hasBaseline: (server) => !isInstalled(config.current(), server),
    record: (action, subject, details) => trail.recordChange(GATEWAY, action, subject, details),
  });
  revisions.on("pins", (revision) => pins.freshen(revision));
  const guarding = openGuard(foundation, {
    ...recording,
    registry: () => registry,
    isApproved: (server, tool) => server === programId || pins.areHintsApproved(server, tool),
    staticNameOf(tool) {
      const route = programId === undefined ? undefined : registry.route(tool);
      return route?.source.id === programId ? route?.definition.name : undefined;
    },
  });
  pins.changed(() => guarding.approvalsChanged());
  const registry = createRegistry({
    pins,
    startWaitMs,
    guard: guarding.guard,
    explainAbsent: (id) => explainAbsent(config.current(), id),
    cache: store.serverCache,
    log,
    reservedNames: [...META_TOOL_NAMES, ...(program?.names ?? [])],
    watch: watching.watchCall,
    suspicious: config.current().tools.suspicious,
    experienceOf: (tool) => experience.of(tool),
    meanings: {
      put(source, tools, textOf, intentsOf) {
        embeddings.put(source, tools, textOf);
        encoder.put(source, tools, textOf, intentsOf);
      },
      // A configured endpoint knows more; where it does not answer, the encoder does.
      nearTo: async (query) => (await embeddings.nearTo(query)) ?? encoder.nearTo(query),
    },
  });
  revisions.on("servers", () => registry.freshenLists());
  registry.subscribe((event) => {
    // Who changes the library has it on record, with the person who did it.
    if (event.server !== CAPABILITIES_ID) trail.recordEvent(event);
  });
  await registry.load();
  if (program !== undefined) {
    registry.add(program.source, { isOwn: true, isProgram: true });
    await registry.refresh(program.source.id, ownContext());
  }
  // Its thread starts with the first call of an API whose arguments need it.
  const argumentCheck = createArgumentCheck();
  const servers = createServers({
    checkArguments: (schema, args) => findArgumentProblem(argumentCheck, schema, args),
    startWaitMs,
    secrets,
    registry,
    log,
    version: VERSION,
    home,
    redactors,
    client: () => front.stdio?.client(),
    modernCapabilities: () => front.stdio?.modernCapabilities(),
    hasManyClients: serves === "http",
    // Over one modern connection all modern clients can be asked; a legacy one belongs to one client alone.
    prefersModern: () => serves === "http" || front.stdio?.era() === "modern",
  });
  await servers.reconcile(config.current());
  const stopFollowing = config.subscribe((event) => {
    if (event.kind !== "changed") return;
    registry.screen(event.config.tools.suspicious);
    registry.reviewTrust();
    void servers.reconcile(event.config);
  });
  const live = openLive({
    home,
    isHomeOptional: config.current().store.url !== undefined,
    serves,
    servers: () =>
      config.current().servers.flatMap((server) => {
        const redactor = redactors.current();
        return liveServerOf(server, servers.status(server.id), (text) => redactor.text(text)) ?? [];
      }),
    calls: () => calls.list(CALL_SHOWN_MS),
    url: () => front.http?.url,
  });
  return {
    registry,
    guarding,
    pins,
    servers,
    experience,
    live,
    /** The source of the static tools, where the program has any. */
    programId,
    /** What code can name: the servers that may be started, and the namespace of static tools. */
    usable: () => [...usableServers(config.current()), ...(programId === undefined ? [] : [programId])],
    /** Of a server that is asked now; undefined where it cannot be. */
    countTools: async (server: string): Promise<number | undefined> => {
      const asking = { waitMs: VIEW_WAIT_MS, servers: [server], force: true };
      const { components, failed } = await registry.discover(asking, ownContext());
      if (failed.some(({ source }) => source === server)) return undefined;
      return components.filter(({ source }) => source === server).length;
    },
    /**
     * No server is started or stopped any more because the config changed, and other processes see nothing of this one.
     */
    stopFollowing() {
      stopFollowing();
      live.close();
    },
    async close() {
      pins.close();
      await registry.close();
      await argumentCheck.close();
      await embeddings.close();
      await experience.settle();
    },
  };
}

/** In words; what cannot be checked is left to the other side. */
async function findArgumentProblem(
  check: ArgumentCheck,
  schema: JsonObject,
  args: JsonObject,
): Promise<string | undefined> {
  const verdict = await check.check(schema, args);
  if (verdict.kind !== "invalid") return undefined;
  return verdict.problems.map(({ path, message }) => `${path} ${message}`.trim()).join("; ");
}
