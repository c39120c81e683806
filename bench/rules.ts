/**
 * `npm run bench:rules`: µs a decision, for 1, 100 and 1,000 rules. Cold is a caller and tool that was not seen before,
 * so every pattern is compared; warm is one that was. In the worst case every rule is about the tool, and every
 * condition is evaluated.
 */
import { cpus, loadavg } from "node:os";
import type { WrittenRule } from "../src/core/rule.ts";
import { createRuleSet, type RuleSet } from "../src/trust/rule-set.ts";

const COUNTS = [1, 100, 1_000];
/** The clock of the CPU ticks in milliseconds, so many are measured together. */
const DECISIONS = 20_000;
/** A decision by 1,000 rules takes less. */
const PROMISED_US = 50;

/** Rules as people write them: patterns of servers, names, callers, effects; none is about the tool that is called. */
function usualRules(count: number): WrittenRule[] {
  return Array.from({ length: count }, (_, at): WrittenRule => {
    const kinds: readonly WrittenRule[] = [
      { tool: `server${at}__*`, do: "allow" },
      { tool: [`server${at}__create_*`, `server${at}__delete_*`], effect: ["write", "destroy"], do: "ask" },
      { who: `token:agent-${at}`, tool: `*__tool_${at}`, do: "refuse" },
      { tool: `server${at}__pay`, when: "args.amount > 100", do: "ask" },
    ];
    return kinds[at % kinds.length]!;
  });
}

function worstRules(count: number): WrittenRule[] {
  return Array.from({ length: count }, (_, at) => ({
    tool: "github__*",
    when: `args.repo === "owner/repo-${at}" && args.amount > 100`,
    do: "refuse",
  }));
}

const ARGS = { repo: "owner/other", amount: 250, title: "A title" };
let seen = 0;

/** µs of this thread's CPU for each decision: other work on the machine does not count. */
function measure(rules: RuleSet, isCold: boolean): number {
  const tools = Array.from({ length: DECISIONS }, () => `github__tool${isCold ? seen++ : 0}`);
  const who = ["token:ci", "profile:triage"];
  const before = process.threadCpuUsage();
  for (const tool of tools) rules.decide({ who, tool, effect: "write", args: ARGS });
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / DECISIONS;
}

console.log(`Node ${process.version}, ${cpus().length} cores, load ${loadavg()[0]!.toFixed(1)} at the start`);
console.log(`µs of CPU a decision; promised are less than ${PROMISED_US}\n`);
console.log(`${"rules".padEnd(28)} ${"cold".padStart(8)} ${"warm".padStart(8)}`);
const kinds = [
  ["usual", usualRules],
  ["worst: all conditions", worstRules],
] as const;
for (const [name, make] of kinds) {
  for (const count of COUNTS) {
    const rules = createRuleSet(make(count), "ask");
    measure(rules, true);
    const cells = [measure(rules, true), measure(rules, false)].map((us) => us.toFixed(2).padStart(8));
    console.log(`${`${name}, ${count}`.padEnd(28)} ${cells.join(" ")}`);
  }
}
