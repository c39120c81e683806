/** What is pinned of servers, for a person who looks at it and decides. */
import type { Config } from "../../config/config.ts";
import { hashOfDefinition } from "../../core/definition-hash.ts";
import type { JsonObject } from "../../core/json.ts";
import { exposeTools, toolNameOf } from "../../core/names.ts";
import type { Store } from "../../core/store.ts";
import type { CallContext } from "../../core/tool.ts";
import type { Pin, PinDecision, PinKey, PinStatus } from "../../core/trust-store.ts";
import type { AuditTrail } from "../../telemetry/audit-trail.ts";
import { changedValues, type ValueChange } from "../../trust/definition-changes.ts";
import { subjectOf, type Pins } from "../../trust/pins.ts";
import { trustOf } from "../config-view.ts";

/** A pin with what differs. */
export interface PinView extends PinKey {
  readonly status: PinStatus;
  /** Since when something else is offered. */
  readonly since: string | null;
  readonly reasons: readonly string[];
  readonly approvedAt: string | null;
  /** Null where it was the first that was seen and nobody has approved it. */
  readonly approvedBy: string | null;
  /** Of what is offered; a decision is bound to it. */
  readonly offeredHash: string | null;
  /** Every value that differs between what is approved and what is offered. */
  readonly changes: readonly ValueChange[];
  /** The kept tools that use it. */
  readonly usedBy: readonly string[];
}

export interface PinReview {
  /** The pins of one server, or of all. */
  list(server?: string): Promise<PinView[]>;
  /** Approves or rejects what was shown: something else that is offered by now is not decided on. */
  decide(
    shown: Pick<PinView, "server" | "kind" | "name" | "offeredHash">,
    isApproved: boolean,
    /** Who decides; without a principal, the person at this machine. */
    context?: Pick<CallContext, "principal">,
  ): Promise<PinDecision["kind"]>;
}

export interface PinReviewDeps {
  readonly config: () => Config;
  readonly store: Pick<Store, "pins" | "capabilities">;
  readonly pins: Pick<Pins, "freshen">;
  readonly trail: Pick<AuditTrail, "recordChange">;
  readonly person: () => string;
}

export function createPinReview({ config, store, pins, trail, person }: PinReviewDeps): PinReview {
  return {
    async list(server) {
      const [all, users] = await Promise.all([store.pins.list(server), findUsers(store, config())]);
      const exposed = exposedNames(all);
      return all.map((pin) => {
        const usedBy = pin.kind === "tool" ? (users.get(exposed.get(keyOf(pin)) ?? "") ?? []) : [];
        return viewOf(pin, statusNow(pin, config()), usedBy);
      });
    },
    async decide(shown, isApproved, context = {}) {
      const { server, kind, name, offeredHash } = shown;
      const by = context.principal?.name ?? person();
      const { kind: outcome } = await store.pins.decide({ server, kind, name }, offeredHash, {
        isApproved,
        by,
      });
      if (outcome !== "decided") return outcome;
      const action = isApproved ? "pin.approved" : "pin.rejected";
      const details = { server, kind, ...(offeredHash !== null && { hash: offeredHash }) };
      trail.recordChange(context, action, subjectOf(shown), details);
      await pins.freshen();
      return outcome;
    },
  };
}

/** The gateway that saw it may have run with another trust than the config has now. */
function statusNow({ status, server }: Pin, config: Config): PinStatus {
  return status === "held" && trustOf(config, server) === "allow" ? "noted" : status;
}

function viewOf(pin: Pin, status: PinStatus, usedBy: readonly string[]): PinView {
  const { server, kind, name, reasons, approvedBy, offeredHash } = pin;
  return {
    server,
    kind,
    name,
    status,
    since: timeOf(pin.offeredAt),
    reasons,
    approvedAt: timeOf(pin.approvedAt),
    approvedBy,
    offeredHash,
    changes: pin.offered === null ? [] : changedValues(baseOf(pin), pin.offered),
    usedBy,
  };
}

/** What is held as it was first seen is shown whole, like something new. */
function baseOf({ approved, offeredHash }: Pin): JsonObject {
  return approved === null || hashOfDefinition(approved) === offeredHash ? {} : approved;
}

function timeOf(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

/** The names of kept tools, by the exposed name of a tool that they use. */
async function findUsers(
  { capabilities }: PinReviewDeps["store"],
  { scope }: Config,
): Promise<Map<string, string[]>> {
  const users = new Map<string, string[]>();
  for (const { capability, version } of await capabilities.listCurrent(scope)) {
    for (const { tool } of version.toolsUsed) {
      users.set(tool, [...(users.get(tool) ?? []), toolNameOf(capability)]);
    }
  }
  return users;
}

function exposedNames(all: readonly Pin[]): Map<string, string> {
  const tools = all.filter(({ kind }) => kind === "tool");
  const servers = [...new Set(tools.map(({ server }) => server))];
  return new Map(
    servers.flatMap((server) => {
      const names = tools.filter((pin) => pin.server === server).map(({ name }) => name);
      const { originals } = exposeTools(server, names);
      return [...originals].map(([exposed, name]): [string, string] => [
        keyOf({ server, kind: "tool", name }),
        exposed,
      ]);
    }),
  );
}

function keyOf({ server, kind, name }: PinKey): string {
  return JSON.stringify([server, kind, name]);
}
