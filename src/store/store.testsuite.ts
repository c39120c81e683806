/**
 * What every store must do, whatever its database. An implementation calls `describeStore` with a way to open itself on
 * nothing; what is its own (files, locks, refusals) it tests beside itself.
 */
import { afterEach, beforeEach, describe } from "vitest";
import type { Clock } from "../core/clock.ts";
import { describeAudit } from "./testsuite/audit.ts";
import { describeCapabilities } from "./testsuite/capabilities.ts";
import { describeCapabilityNames } from "./testsuite/capability-names.ts";
import { createManualClock, type OpenedStore, type StoreFixture } from "./testsuite/fixture.ts";
import { describeLifetime } from "./testsuite/lifetime.ts";
import { describeRuns } from "./testsuite/runs.ts";
import { describeServers } from "./testsuite/servers.ts";
import { describeSteps } from "./testsuite/steps.ts";

/** Every test gets a store of its own on an empty database. */
export function describeStore(name: string, open: (clock: Clock) => Promise<OpenedStore>): void {
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
    describe("runs", () => describeRuns(fixture));
    describe("steps", () => describeSteps(fixture));
    describe("servers", () => describeServers(fixture));
    describe("audit", () => describeAudit(fixture));
    describe("lifetime", () => describeLifetime(fixture));
  });
}
