/**
 * "Approve and remember": the rule that a yes becomes, so that the next call of this kind is not asked about. It is shown
 * before it is written, and goes to the front of the user's own rules, which come before those of a project.
 */
import { editConfig } from "../../config/files/edit.ts";
import { locateConfig } from "../../config/locate.ts";
import { checkRules } from "../../config/rules.ts";
import { hashText, isJsonObject, type Json } from "../../core/json.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { WrittenRule } from "../../core/rule.ts";
import type { Run } from "../../core/store.ts";
import type { OperatorDeps } from "../operator.ts";

export interface RememberOptions {
  readonly remember?: boolean;
  /** Names of arguments that must be the same. */
  readonly same?: readonly string[];
  readonly times?: number;
  /** Only for the script that asks. */
  readonly script?: boolean;
}

/** What the question was about. */
export interface RememberedQuestion {
  readonly details: Json;
  /** Null for the question of a workflow's own node, which no rule asked. */
  readonly expiresAt: number | null;
}

type Asker = Pick<Run, "principal" | "source" | "kind"> & Partial<Pick<Run, "id">>;

/** The rule; undefined where nothing is to be remembered. */
export function ruleOf(
  { details, expiresAt }: RememberedQuestion,
  asker: Asker,
  options: RememberOptions,
): ToolResult<WrittenRule | undefined> {
  const { remember = false, same = [], times, script = false } = options;
  if (!remember) return noneWithout(same.length > 0 || times !== undefined || script);
  const params = isJsonObject(details) ? details["params"] : undefined;
  const tool = isJsonObject(details) ? details["type"] : undefined;
  if (expiresAt === null || typeof tool !== "string" || !isJsonObject(params)) return notARule();
  if (isJsonObject(details) && details["rule"] === FLOW_RULE) return notForFlow();
  const missing = same.find((name) => !Object.hasOwn(params, name));
  if (missing !== undefined) return noArgument(missing, Object.keys(params));
  const who = whoOf(asker, script);
  if (who === undefined) return noScript();
  if (HAS_MEANING.test(who)) return notACaller();
  const when = same.map((name) => `args[${literal(name)}] === ${literal(params[name]!)}`);
  const isPlain = same.every((name) => isComparable(params[name]!));
  if (!isPlain) return notComparable();
  return readable({
    who,
    tool,
    ...(when.length > 0 && { when: when.join(" && ") }),
    do: "allow",
    ...(times !== undefined && { limit: `${times} in all` }),
    why: whyOf(asker, times),
  });
}

/** Equal rules share one count, so one that counts names its run: the same yes for a second time counts anew. */
function whyOf({ id }: Asker, times: number | undefined): string {
  const run = times === undefined || id === undefined ? "" : ` in the run ${id}`;
  return `Approved once${run}, and remembered.`;
}

/** A pattern, or a variable of the config: such a rule would be about others. */
const HAS_MEANING = /\*|\$\{/;

/** The arguments are the caller's own: `${NAME}` in one of them must not become a variable of the config. */
function literal(value: Json): string {
  return JSON.stringify(value).replaceAll("${", String.raw`\u0024{`);
}

/** A rule that cannot be read would make the whole config invalid. */
function readable(rule: WrittenRule): ToolResult<WrittenRule> {
  const [problem] = checkRules({ rules: [rule] }).complaints;
  if (problem === undefined) return succeed(rule);
  const field = problem.path.slice(2).join(".");
  return fail("TOOL_INVALID_INPUT", `No such rule can be written: its ${field} ${problem.message}.`, {
    field: "remember",
    hint: "Approve it without --remember, or name fewer or shorter arguments with --same.",
  });
}

function notACaller(): ToolResult<never> {
  return fail("TOOL_INVALID_INPUT", "The name of the caller would mean others too in a rule.", {
    field: "remember",
    hint: "Approve it without --remember.",
  });
}

/** Where such a rule is written. */
export function rulesFile(place: OperatorDeps["place"]): { readonly path: string; readonly home: string } {
  const { candidates, home } = locateConfig(place);
  return { path: candidates.at(-1)!, home };
}

/** Puts it in front of the user's own rules; gives the file. */
export function writeRule(rule: WrittenRule, place: OperatorDeps["place"]): string {
  const { path, home } = rulesFile(place);
  editConfig(path, home, [{ path: ["rules", 0], value: rule }]);
  return path;
}

function whoOf({ principal, source, kind }: Asker, isScript: boolean): string | undefined {
  if (!isScript) return principal ?? "local";
  return source === null || kind === "call" ? undefined : `script:${hashText(source)}`;
}

function isComparable(value: Json): boolean {
  return value === null || typeof value !== "object";
}

function noneWithout(isAsked: boolean): ToolResult<undefined> {
  if (!isAsked) return succeed(undefined);
  return fail(
    "TOOL_INVALID_INPUT",
    "--same, --times and --script say what --remember writes; it is missing.",
    {
      field: "remember",
    },
  );
}

function notARule(): ToolResult<never> {
  return fail("TOOL_INVALID_INPUT", "A workflow asks this itself, so no rule can answer it.", {
    field: "remember",
    hint: "Approve it without --remember.",
  });
}

/** As the question names it. */
const FLOW_RULE = 'flow (trust: "ask")';

function notForFlow(): ToolResult<never> {
  return fail(
    "TOOL_INVALID_INPUT",
    "This is asked because of what the run has read, whatever the rules allow.",
    {
      field: "remember",
      hint: "Approve it without --remember.",
    },
  );
}

function noArgument(name: string, names: readonly string[]): ToolResult<never> {
  return fail("TOOL_INVALID_INPUT", `The call has no argument ${JSON.stringify(name)}.`, {
    field: "same",
    hint: `It has ${names.join(", ") || "none"}.`,
  });
}

function noScript(): ToolResult<never> {
  return fail("TOOL_INVALID_INPUT", "No script asks: it is a call of a client, or of something saved.", {
    field: "script",
    hint: "Leave --script out; the rule is then for the caller.",
  });
}

function notComparable(): ToolResult<never> {
  return fail(
    "TOOL_INVALID_INPUT",
    "--same compares texts, numbers, true, false and null, and no objects or lists.",
    {
      field: "same",
    },
  );
}
