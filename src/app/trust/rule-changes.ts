/**
 * Puts on the audit trail that other rules are in force. Every gateway on a home sees the same change of the config; the
 * one that spends its name first records it.
 */
import { statSync } from "node:fs";
import type { Config } from "../../config/config.ts";
import type { ConfigSource } from "../../config/source.ts";
import { trustFileOf } from "../../config/trust.ts";
import { hashJson, NO_LIMITS } from "../../core/json.ts";
import type { Log } from "../../core/log.ts";
import type { WrittenRule } from "../../core/rule.ts";
import type { SealStore } from "../../core/store.ts";
import { GATEWAY, type AuditTrail } from "../../telemetry/audit-trail.ts";

export interface RuleChangesDeps {
  readonly config: ConfigSource;
  readonly trail: Pick<AuditTrail, "recordChange">;
  readonly store: { readonly seals: Pick<SealStore, "spend"> };
  readonly log: Log;
}

type Ruled = Pick<Config, "rules" | "trust" | "servers">;

/** All gateways see a change within some seconds. */
const SPENT_FOR_MS = 60_000;
/** As long as the ids of rules are. */
const ID_LENGTH = 12;

/** Returns the function that stops it. */
export function followRuleChanges({ config, trail, store, log }: RuleChangesDeps): () => void {
  let before: Ruled = config.current();

  async function record(was: Ruled, now: Config): Promise<void> {
    const name = hashJson(["rules.changed", textOf(was), textOf(now), changeTimes(now)], NO_LIMITS);
    if (!(await store.seals.spend(name, Date.now() + SPENT_FOR_MS))) return;
    trail.recordChange(GATEWAY, "rules.changed", now.origin.path ?? "config", detailsOf(was, now));
  }

  return config.subscribe((event) => {
    if (event.kind !== "changed") return;
    const was = before;
    before = event.config;
    if (!isChanged(was, event.config)) return;
    record(was, event.config).catch((error: unknown) => log.error("audit.failed", { error }));
  });
}

function detailsOf(was: Ruled, now: Ruled) {
  const [idsBefore, idsNow] = [was.rules.map(idOf), now.rules.map(idOf)];
  return {
    added: idsNow.filter((id) => !idsBefore.includes(id)),
    removed: idsBefore.filter((id) => !idsNow.includes(id)),
    trust: now.trust,
    ...(was.trust !== now.trust && { trustBefore: was.trust }),
    ...changedServers(was, now),
  };
}

/** The servers that are trusted otherwise than before, and how they are now. */
function changedServers(was: Ruled, now: Ruled) {
  const before = new Map(was.servers.map(({ id, trust }) => [id, trust]));
  const changed = now.servers.filter(({ id, trust }) => before.has(id) && before.get(id) !== trust);
  return changed.length > 0 && { servers: Object.fromEntries(changed.map(({ id, trust }) => [id, trust])) };
}

/** Also the order of rules: the first that matches decides. */
function textOf({ rules, trust }: Ruled): string {
  return hashJson([rules.map(idOf), trust], NO_LIMITS);
}

function isChanged(was: Ruled, now: Ruled): boolean {
  return textOf(was) !== textOf(now) || changedServers(was, now) !== false;
}

function idOf(rule: WrittenRule): string {
  const written = Object.fromEntries(Object.entries(rule).filter(([, value]) => value !== undefined));
  return hashJson(written, NO_LIMITS).slice(0, ID_LENGTH);
}

/** Of the files that rules come from: the same change made again later has another name. */
function changeTimes({ files, home }: Config): readonly number[] {
  const paths = [...files.flatMap(({ path }) => path ?? []), trustFileOf(home)];
  return paths.map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
}
