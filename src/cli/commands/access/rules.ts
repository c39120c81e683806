/** `repertoire rules`: who may do what, in the order in which it is decided, and which rule decides on a call. */
import { parseJson, isJsonObject, type JsonObject } from "../../../core/json.ts";
import { fail, succeed, type ToolResult } from "../../../core/result.ts";
import type { WrittenRule } from "../../../core/rule.ts";
import { configError } from "../../../operator/servers/config-change.ts";
import {
  explainCall,
  listRules,
  type ExplainedWithFile,
  type ListedRule,
} from "../../../operator/access/rules.ts";
import { loadConfigWithInputs } from "../../../secrets/inputs.ts";
import { escapeUnprintable } from "../../../text/printable.ts";
import { refuse } from "../../app-call.ts";
import { collect, defineCommand } from "../../command.ts";
import { commandLine } from "../../command-line.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { openSession } from "../../session.ts";
import { EXIT } from "../../terminal/exit-code.ts";
import {
  bold,
  dim,
  green,
  note,
  print,
  printJson,
  printTable,
  red,
  yellow,
} from "../../terminal/terminal.ts";
import { waitingLookup } from "../use/callable.ts";

interface ExplainOptions extends GlobalOptions {
  readonly args?: string;
  readonly who?: readonly string[];
  readonly profile?: readonly string[];
}

const EXPLAIN_COMMAND = defineCommand({
  name: "explain",
  summary: "Say which rule decides on a call, and why; nothing is called",
  arguments: [
    {
      words: "<tool>",
      about: "a tool, an item of the library, a built-in node, a prompt or the URI of a resource",
      completes: ["tools", "nodes"],
    },
  ],
  options: [
    { flags: "--args <json>", about: "the arguments of the call, for rules that look at them" },
    {
      flags: "--who <name>",
      about: "who calls: a token, local, profile:NAME or any other caller of a rule; repeatable",
      parse: collect,
      completes: ["tokens"],
    },
    { flags: "--profile <name>", about: "the profile through which the call comes", parse: collect },
  ],
  help: `A server is asked for its tools only where nothing is known of them yet. Without --who, the caller is local: the user of
this machine.`,
  examples: [
    "repertoire rules explain github.delete_repo",
    'repertoire rules explain github.create_issue --args \'{"repo": "a/b"}\' --who ci',
    "repertoire rules explain mail:send --profile triage",
    "repertoire rules explain http --json",
  ],
  run: (options: ExplainOptions, tool: string) => explain(tool, options),
});

export const rulesCommand = defineCommand({
  name: "rules",
  group: "access",
  summary: "List the rules that decide on calls, and explain which of them decides on a call",
  help: `The first rule that matches a call decides. Rules are written under "rules" in the config and take effect with the next
call.`,
  examples: ["repertoire rules", "repertoire rules explain github.delete_repo", "repertoire rules --json"],
  run: list,
  commands: [EXPLAIN_COMMAND],
});

// ── the list ────────────────────────────────────────────────────────────────────────────────────────────────────────

async function list(options: GlobalOptions): Promise<number> {
  const loaded = await loadConfigWithInputs({ configPath: options.config, home: options.home });
  if (!loaded.ok) throw configError(loaded.problems);
  const listed = listRules(loaded.config);
  if (options.json === true) printJson(listed);
  else showRules(listed.rules, options);
  return EXIT.ok;
}

function showRules(rules: readonly ListedRule[], options: GlobalOptions): void {
  const rows = rules.map((rule) => [
    rule.rule,
    rule.do,
    aboutOf(rule),
    limitsOf(rule),
    rule.why ?? "",
    rule.file ?? "",
  ]);
  printTable([["RULE", "DO", "CALLS", "LIMIT", "WHY", "FILE"], ...rows], {
    column: 1,
    paint: (text) => paintAction(text),
  });
  note(`\nWhich rule decides on a call: ${commandLine(["rules", "explain", "TOOL"], options)}`);
}

/** Which calls it is about, in the words of the config. */
function aboutOf({ who, tool, effect, when }: WrittenRule): string {
  const parts = [
    ...(tool === undefined ? [] : [`tool ${wordsOf(tool)}`]),
    ...(effect === undefined ? [] : [`effect ${wordsOf(effect)}`]),
    ...(who === undefined ? [] : [`who ${wordsOf(who)}`]),
    ...(when === undefined ? [] : [`when ${when}`]),
  ];
  return parts.length === 0 ? "all" : parts.join("; ");
}

function limitsOf({ limit, same, once }: WrittenRule): string {
  const parts = [
    ...(limit === undefined ? [] : [limit]),
    ...(same === undefined ? [] : [`same ${same}`]),
    ...(once === true ? ["once"] : []),
  ];
  return parts.join(", ");
}

function wordsOf(one: string | readonly string[]): string {
  return typeof one === "string" ? one : one.join(", ");
}

function paintAction(text: string): string {
  const word = text.trim();
  return word === "refuse"
    ? red(text)
    : word === "ask"
      ? yellow(text)
      : word === "allow"
        ? green(text)
        : text;
}

// ── one call ────────────────────────────────────────────────────────────────────────────────────────────────────────

async function explain(tool: string, options: ExplainOptions): Promise<number> {
  const args = parseArgs(options.args);
  if (!args.success) return refuse(args.error, options);
  const session = await openSession(options);
  try {
    const { app, config } = session;
    const { who = [], profile: profiles = [] } = options;
    const told = await explainCall(session, { tool, args: args.data, who, profiles }, waitingLookup(app));
    if (!told.success) return refuse(told.error, options);
    if (options.json === true) printJson(told.data);
    else show(told.data, limitsOfRule(told.data, listRules(config.current()).rules));
    return EXIT.ok;
  } finally {
    await session.close();
  }
}

function limitsOfRule({ rule }: ExplainedWithFile, rules: readonly ListedRule[]): string {
  const decides = rules.find((one) => one.id === rule.id && one.rule === rule.name);
  return decides === undefined ? "" : limitsOf(decides);
}

function parseArgs(text: string | undefined): ToolResult<JsonObject> {
  if (text === undefined) return succeed({});
  const parsed = parseJson(text);
  if (parsed.ok && isJsonObject(parsed.value)) return succeed(parsed.value);
  const problem = parsed.ok ? "It must be an object" : parsed.message;
  return fail("TOOL_INVALID_INPUT", `--args cannot be read: ${problem}.`, {
    field: "args",
    hint: `Write it like --args '{"repo": "a/b"}'.`,
  });
}

const LABEL_WIDTH = 9;
const DECISIONS = {
  allow: green("allowed"),
  ask: yellow("a person is asked first"),
  refuse: red("refused"),
} as const;

function show(told: ExplainedWithFile, limits: string): void {
  const { file, kind, name, source, who, effect, effect_from: from, do: action, rule, notes } = told;
  print(`${bold(escapeUnprintable(name))}  ${dim(source === undefined ? kind : `${kind} of ${source}`)}`);
  const line = (label: string, text: string) =>
    print(`${dim(label.padEnd(LABEL_WIDTH))} ${escapeUnprintable(text)}`);
  line("caller", who.join(", "));
  line("effect", `${effect} (${from})`);
  print(`${dim("decision".padEnd(LABEL_WIDTH))} ${DECISIONS[action]}`);
  line("rule", `${rule.name}${file === undefined ? "" : ` in ${file}`}`);
  if (limits !== "") line("limit", limits);
  if (rule.why !== undefined) line("why", rule.why);
  for (const text of notes) line("note", text);
  showPassed(told.passed);
}

/** Of many rules, those that nearly decided. */
function showPassed(passed: ExplainedWithFile["passed"]): void {
  const near = passed.filter(({ mismatch }) => !mismatch.startsWith("tool:"));
  if (passed.length === 0) return;
  print();
  print(dim("before it"));
  printTable(near.map(({ rule, mismatch }) => [`  ${rule}`, mismatch]));
  const others = passed.length - near.length;
  if (others > 0) print(`  ${others === 1 ? "1 rule is" : `${others} rules are`} about other tools`);
}
