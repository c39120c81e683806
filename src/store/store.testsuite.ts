/**
 * What every store must do, whatever its database. An implementation calls `describeStore` with a way to open itself on
 * nothing; what is its own (files, locks, refusals) it tests beside itself.
 */
import { afterEach, beforeEach, describe } from "vitest";
import type { Clock } from "../core/clock.ts";
import { describeAudit } from "./testsuite/audit.ts";
import { describeCalls, describeCallSummaries, describeTokenUses } from "./testsuite/calls.ts";
import { describeCapabilityAliases } from "./testsuite/capability-aliases.ts";
import { describeCapabilityExamples } from "./testsuite/capability-examples.ts";
import { describeCapabilities } from "./testsuite/capabilities.ts";
import { describeCapabilityNames } from "./testsuite/capability-names.ts";
import { describeDecisions } from "./testsuite/decisions.ts";
import { createManualClock, type OpenedStore, type StoreFixture } from "./testsuite/fixture.ts";
import { describeDrafts } from "./testsuite/drafts.ts";
import { describeEmbeddings } from "./testsuite/embeddings.ts";
import { describeFinishing } from "./testsuite/finishing.ts";
import { describeLifetime } from "./testsuite/lifetime.ts";
import { describeLimits } from "./testsuite/limits.ts";
import { describeListedCapabilities } from "./testsuite/listed-capabilities.ts";
import { describeRevisions } from "./testsuite/revisions.ts";
import { describeReplicaClaims } from "./testsuite/replica-claims.ts";
import { describeReplicas } from "./testsuite/replicas.ts";
import { describeQueuedRuns } from "./testsuite/queued-runs.ts";
import { describeResuming } from "./testsuite/resuming.ts";
import { describeRunLists } from "./testsuite/run-lists.ts";
import { describeRunSearch } from "./testsuite/run-search.ts";
import { describeRunViews } from "./testsuite/run-views.ts";
import { describeRuns } from "./testsuite/runs.ts";
import { describeSeals } from "./testsuite/seals.ts";
import { describeLocks, describeSecrets } from "./testsuite/secrets.ts";
import { describeServers } from "./testsuite/servers.ts";
import { describeSessions } from "./testsuite/sessions.ts";
import { describeStepResults } from "./testsuite/step-results.ts";
import { describeSteps } from "./testsuite/steps.ts";
import { describeSucceededRuns } from "./testsuite/succeeded-runs.ts";
import { describeTokens } from "./testsuite/tokens.ts";
import { describeTokenCounts } from "./testsuite/token-counts.ts";
import { describePastUses } from "./testsuite/past-uses.ts";
import { describePins } from "./testsuite/pins.ts";
import { describeUsage } from "./testsuite/usage.ts";

/** Every test gets a store of its own on an empty database. With `databaseNow`, it goes by that in place of its own. */
export function describeStore(
  name: string,
  open: (clock: Clock, databaseNow?: () => number) => Promise<OpenedStore>,
): void {
  describe(name, () => {
    let opened: StoreFixture;
    beforeEach(async () => {
      const clock = createManualClock();
      opened = { ...(await open(clock)), clock };
    });
    afterEach(() => opened.dispose());
    const fixture = (): StoreFixture => opened;
    describe("capabilities", () => describeCapabilities(fixture));
    describe("names of capabilities", () => describeCapabilityNames(fixture));
    describe("aliases", () => describeCapabilityAliases(fixture));
    describe("listed capabilities", () => describeListedCapabilities(fixture));
    describe("examples", () => describeCapabilityExamples(fixture));
    describe("runs", () => describeRuns(fixture));
    describe("runs that end", () => describeFinishing(fixture));
    describe("runs that succeeded", () => describeSucceededRuns(fixture));
    describe("lists of runs", () => describeRunLists(fixture));
    describe("runs that are looked for", () => describeRunSearch(fixture));
    describe("runs as people see them", () => describeRunViews(fixture));
    describe("runs that go on", () => describeResuming(fixture));
    describe("background runs", () => describeQueuedRuns(fixture));
    describe("steps", () => describeSteps(fixture));
    describe("results of steps", () => describeStepResults(fixture));
    describe("decisions", () => describeDecisions(fixture));
    describe("sealed states", () => describeSeals(fixture));
    describe("limits", () => describeLimits(open));
    describe("calls", () => describeCalls(fixture));
    describe("calls in numbers", () => describeCallSummaries(fixture));
    describe("uses of tokens", () => describeTokenUses(fixture));
    describe("servers", () => describeServers(fixture));
    describe("pins", () => describePins(fixture));
    describe("drafts", () => describeDrafts(fixture));
    describe("revisions", () => describeRevisions(fixture));
    describe("replicas", () => describeReplicas(open));
    describe("sessions of clients", () => describeSessions(fixture));
    describe("past uses of tools", () => describePastUses(fixture));
    describe("counts of tokens", () => describeTokenCounts(fixture));
    describe("embeddings", () => describeEmbeddings(fixture));
    describe("usage in numbers", () => describeUsage(fixture));
    describe("audit", () => describeAudit(fixture));
    describe("tokens", () => describeTokens(fixture));
    describe("secrets", () => describeSecrets(fixture));
    describe("locks", () => describeLocks(open));
    describe("lifetime", () => describeLifetime(fixture));
  });
}

/** What a store must do beside that where processes on several machines share it. */
export function describeSharedStore(
  name: string,
  open: (clock: Clock, databaseNow?: () => number) => Promise<OpenedStore>,
): void {
  describe(`${name}, shared`, () => {
    describe("claims", () => describeReplicaClaims(open));
  });
}
