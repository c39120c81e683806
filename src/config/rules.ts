/** What is wrong or odd with `rules` that the shape of the file does not say. */
import type { WrittenRule } from "../core/rule.ts";
import { nearest } from "../text/nearest.ts";
import { readRule } from "../trust/read-rule.ts";
import { asObject, objectAt } from "./entries/server-check.ts";
import type { Complaint } from "./problem.ts";
import { ruleSchema } from "./schema.ts";

interface CheckedRules {
  readonly complaints: readonly Complaint[];
  readonly warnings: readonly Complaint[];
}

/** More are no config but data; a decision stays fast far beyond it. */
const RULE_COUNT_MAX = 10_000;

/** All of it at once. A rule whose shape is wrong is told so by the schema, and left out here. */
export function checkRules(file: unknown): CheckedRules {
  const list = asObject(file)?.["rules"];
  if (!Array.isArray(list)) return { complaints: [], warnings: [] };
  if (list.length > RULE_COUNT_MAX) {
    return { complaints: [complain(["rules"], `must have at most ${RULE_COUNT_MAX} rules`)], warnings: [] };
  }
  const rules = list.map((value: unknown) => {
    const parsed = ruleSchema.safeParse(value, { jitless: true });
    return parsed.success ? parsed.data : undefined;
  });
  const isThere = (rule: WrittenRule | undefined): rule is WrittenRule => rule !== undefined;
  const complaints = rules.flatMap((rule, index) => (isThere(rule) ? complaintsAbout(rule, index) : []));
  const profiles = Object.keys(objectAt(file, "profiles") ?? {});
  const unknown = rules.flatMap((rule, index) =>
    isThere(rule) ? warnOfProfiles(rule, index, profiles) : [],
  );
  return { complaints, warnings: [...unknown, ...warnOfCovered(rules)] };
}

function complain(path: Complaint["path"], message: string, hint?: string): Complaint {
  return { path, at: "value", message, ...(hint !== undefined && { hint }) };
}

function complaintsAbout(rule: WrittenRule, index: number): Complaint[] {
  const read = readRule(rule);
  if (read.ok) return [];
  return read.problems.map(({ path, message, hint }) => complain(["rules", index, ...path], message, hint));
}

/** The profile may be in a project file of another folder, so it is no error. */
function warnOfProfiles({ who }: WrittenRule, index: number, profiles: readonly string[]): Complaint[] {
  const patterns = typeof who === "string" ? [who] : (who ?? []);
  return patterns.flatMap((pattern, at) => {
    const [, profile] = /^profile:([^*]+)$/.exec(pattern) ?? [];
    if (profile === undefined || profiles.includes(profile)) return [];
    const near = nearest(profile, profiles).map((name) => `"${name}"`);
    const meant = near.length === 0 ? "" : `; did you mean ${near.join(" or ")}?`;
    const path = ["rules", index, "who", ...(typeof who === "string" ? [] : [at])];
    return [complain(path, `there is no such profile here${meant}`)];
  });
}

// ── rules that never decide ─────────────────────────────────────────────────────────────────────────────────────────

const ASKED = ["who", "tool", "effect"] as const;

/**
 * A rule behind one that asks the same or less, and has no condition, never decides. What asks less is what is left
 * when some of the three fields are taken away, so eight look-ups find it, however many rules there are. Patterns are
 * compared as texts: `a__*` before `a__b` is not found.
 */
function warnOfCovered(rules: readonly (WrittenRule | undefined)[]): Complaint[] {
  const covering = new Map<string, number>();
  return rules.flatMap((rule, index) => {
    if (rule === undefined) return [];
    const earlier = keysOf(rule).flatMap((key) => covering.get(key) ?? []);
    const isCovering =
      rule.when === undefined && rule.once !== true && !/in\s{1,9}all/i.test(rule.limit ?? "");
    const [own] = keysOf(rule);
    if (isCovering && !covering.has(own!)) covering.set(own!, index);
    if (earlier.length === 0) return [];
    const message = `never decides: an earlier rule matches the same calls, rules[${Math.min(...earlier)}] of \`repertoire rules\``;
    return [complain(["rules", index], message, "remove one of the two, or put this one first")];
  });
}

/** The key of what the rule asks, and of everything that asks less. */
function keysOf(rule: WrittenRule): string[] {
  return Array.from({ length: 2 ** ASKED.length }, (_, left) =>
    JSON.stringify(ASKED.map((field, bit) => (left & (1 << bit) ? null : normalOf(rule[field])))),
  );
}

/** What asks about nothing is null, in whatever way it is written. */
function normalOf(patterns: string | readonly string[] | undefined): readonly string[] | null {
  const list = typeof patterns === "string" ? [patterns] : patterns;
  return list === undefined || list.includes("*") ? null : [...new Set(list)].sort();
}
