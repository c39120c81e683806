/**
 * The composition root: a Config becomes a running gateway. The two halves are put together in `tools-half.ts` and
 * `runs-half.ts`, what clients see of them in `gateway-half.ts`, and how clients connect in `front.ts`.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { listTools } from "../gateway/list-all.ts";
import { createImportExport } from "../library/import-export.ts";
import { createLogins } from "../servers/logins.ts";
import { openCallRecording } from "./call-recording.ts";
import type { App, AppOptions, Front } from "./contract.ts";
import { authorName, openFoundation, ownContext } from "./foundation.ts";
import { createListeners } from "./front.ts";
import { openGateways } from "./gateway-half.ts";
import { createInquiries } from "./inquiries.ts";
import { followRuleChanges } from "./trust/rule-changes.ts";
import { readLive } from "./live.ts";
import { createPinReview } from "./trust/pin-review.ts";
import { systemClock } from "../core/clock.ts";
import { listStarters } from "./background/starters.ts";
import { openSchedules } from "./background/schedules.ts";
import { openQueue } from "./background/queue-work.ts";
import { openRuns } from "./runs-half.ts";
import { createTokenInquiry, viewOf } from "./token-inquiry.ts";
import { openTools } from "./tools-half.ts";

export { countReplicas } from "./store/store-health.ts";
export { openConfiguredStore } from "./store/configured-store.ts";
export type { App, FoundTools, ProgramTools, TokenReach } from "./contract.ts";
export type { KnownHits } from "../gateway/known-tools.ts";
export type { ExplainedCall } from "./trust/explain-call.ts";
export { localActor } from "./foundation.ts";
export { viewInboxItem } from "./inbox.ts";
export { findSecretProblem } from "./background/hooks.ts";
export { readCron } from "./background/schedules.ts";
export { examineLive, readLive } from "./live.ts";
export type { PinView } from "./trust/pin-review.ts";
export { checkSandbox, type SandboxCheck } from "./sandbox-check.ts";
export { findProgramProblem, type ServerView, type ViewCause } from "./server-view.ts";
export type { TokenReport } from "../gateway/token-report.ts";
export { checkpointJson, checkpointOf } from "../runs/journal/checkpoint.ts";
export { questionIdOf } from "../runs/resume/decide.ts";
export { readEarlierRun } from "../runs/resume/earlier-run.ts";
export { skippedBy } from "../runs/resume/skipped.ts";
export { resultUriOf, stepUriOf } from "../runs/run-uri.ts";
export { isNodeKey, labelOf } from "../runs/workflow/labels.ts";
export { outlineWorkflow } from "../workflows/outline.ts";
export { shortRunIds } from "../runs/resume/run-reference.ts";
export { openSecretStore } from "../secrets/secrets.ts";
export { isLoopbackHost } from "../server/auth/loopback.ts";
export { isExpired, type TokenEntry } from "../server/auth/token.ts";
export { createConsoleSessions } from "../server/auth/console-session.ts";
export { openInputsOf, openTokensOf, rotateSecrets } from "./access.ts";
export type { ShownToken, Tokens } from "../server/auth/tokens.ts";
export type { ApiRequest, ApiRoute } from "../server/http/api-routes.ts";
export type { Change, ChangeFeed } from "../server/http/change-stream.ts";
export type { AuthorizationWay, LoginView, LogoutView } from "../servers/logins.ts";
export type { ReachedTool } from "./token-reach.ts";
export { lastUsesOf, readLastUses, type LastUses } from "./token-inquiry.ts";
export { askCard, type CardAnswer, type CardEndpoint } from "../upstream/card/ask-card.ts";
export { askRegistry } from "../upstream/process/published-package.ts";
export { copyDatabase } from "../store/sqlite/database-file.ts";
export { createRuleSet, type TokenLimits } from "../trust/rule-set.ts";

/**
 * A balancer looks every half second whether a replica takes requests. Until it has seen that this one does not, new ones
 * come here and are refused with 503, which it sends elsewhere; a socket that has closed would lose them.
 */
const NOTICED_MS = 1_000;

export async function openApp(options: AppOptions): Promise<App> {
  const front: Front = { isDraining: false };
  const foundation = await openFoundation(options);
  const recording = openCallRecording(foundation);
  const stopRuleChanges = options.serves === undefined ? () => {} : followRuleChanges(foundation);
  const tools = await openTools(foundation, front, recording, options);
  const queue = openQueue(foundation, options);
  const half = openRuns(foundation, tools, recording, queue);
  const gateways = openGateways(foundation, tools, half, front);
  const { config, store, replica, secrets, trail, watching, revisions } = foundation;
  const pinReview = createPinReview({
    config: () => config.current(),
    store,
    pins: tools.pins,
    trail,
    person: authorName,
  });
  const inquiries = createInquiries(foundation, tools, half, pinReview);
  const { registry, servers } = tools;
  const { runs, traces, library, libraryEditor, freshenLibrary } = half;
  queue.begin(runs.deliver);
  const schedules =
    options.serves === undefined
      ? undefined
      : openSchedules({ config, clock: systemClock, log: foundation.log, start: half.startKept });
  const { gateway } = gateways.gatewayFor(undefined)!;
  // Another gateway or a command may have set an input that the config uses.
  if (store.replicas.isShared) revisions.on("secrets", () => config.check());
  if (options.serves !== undefined || options.isEmbedded === true) revisions.start();
  return {
    gateway,
    listTools: () => listTools(gateway),
    toolDefinitions: gateways.toolDefinitions,
    executeWorkflow: gateways.executeWorkflow,
    gatewayFor: gateways.gatewayFor,
    viewFor(profile) {
      const rules = config.current().profiles[profile];
      return rules && viewOf(profile, rules, registry.tools());
    },
    listKnown: gateways.listKnown,
    restartServer: (id) => servers.restart(id),
    registry,
    store,
    queueStats: queue.stats,
    listStarters: () =>
      listStarters({
        config: () => config.current(),
        runs: store.runs,
        findStartProblem: half.findStartProblem,
        now: () => systemClock.now(),
      }),
    redactors: foundation.redactors,
    tokens: foundation.tokens,
    runs,
    drafts: half.drafts,
    callsUnderWay: half.callsUnderWay,
    traces,
    library,
    libraryEditor,
    freshenLibrary,
    logins: createLogins({ config: () => config.current(), secrets, countTools: tools.countTools }),
    pinReview,
    ...createImportExport(library, libraryEditor, ownContext, foundation.redactors),
    ...gateways.reports,
    ...inquiries,
    ...createTokenInquiry(foundation, tools, half, tools.guarding.guard),
    ...createListeners(foundation, tools, half, gateways, front),
    gatewayCount: () =>
      readLive(foundation.home).filter(({ pid, serves }) => serves !== undefined && pid !== process.pid)
        .length,
    async followConfig() {
      await config.check();
      await servers.reconcile(config.current());
    },
    async drain() {
      front.isDraining = true;
      schedules?.close();
      await queue.drain();
      const leaving = replica.drain();
      // The other replicas take what is new meanwhile, so a run that a client waits for may end here. A gateway that is alone
      // has nobody to serve until it is back: it stops runs where they are.
      if (store.replicas.isShared && front.http !== undefined)
        await Promise.all([front.http.answered(), sleep(NOTICED_MS)]);
      await Promise.all([leaving, runs.drain()]);
    },
    /** In this order: nothing new begins, runs end, then what they used, the store last. */
    async close() {
      stopRuleChanges();
      schedules?.close();
      revisions.close();
      tools.stopFollowing();
      await queue.drain();
      await runs.drain();
      await queue.close();
      await runs.close();
      await half.drafts.settle();
      await replica.leave();
      gateways.heldCalls.close();
      await tools.close();
      await watching.close();
      await gateways.close();
      // Refused calls go on to the trail.
      await recording.settle();
      await trail.settle();
      await store.close();
    },
  };
}
