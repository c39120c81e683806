import type { Answer } from "../../api/client.ts";

export type Rule = Answer<"listRules">["rules"][number];

/** A part of a rule as text: what it asks about, and what it does beside its decision. */
export interface RuleField {
  readonly name: "who" | "tool" | "effect" | "when" | "limit" | "same" | "once";
  readonly text: string;
}

const NAMES = ["who", "tool", "effect", "when", "limit", "same", "once"] as const;

/** In the order in which a person reads them; what the rule leaves out is not there. */
export function fieldsOf(rule: Rule): readonly RuleField[] {
  return NAMES.flatMap((name) => {
    const text = textOf(rule[name]);
    return text === undefined ? [] : [{ name, text }];
  });
}

function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null || value === false) return undefined;
  if (Array.isArray(value)) return value.map(String).join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Rules whose texts hold all of the words, and that do one of the decisions. */
export function filterRules(
  rules: readonly Rule[],
  { text, decision }: { readonly text?: string | undefined; readonly decision?: string | undefined },
): readonly Rule[] {
  const words = (text ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  return rules.filter((rule) => {
    const all = JSON.stringify(rule).toLowerCase();
    return (
      (decision === undefined || decision.split(",").includes(rule.do)) &&
      words.every((word) => all.includes(word))
    );
  });
}
