/** `repertoire rules`: who may do what, in the order in which it is decided, and which rule decides on a call. */
import {
  createRuleSet,
  openTokens,
  type App,
  type ExplainedCall,
  type TokenEntry,
  type TokenLimits,
} from "../../../app/app.ts";
import { describeConfig } from "../../../config/describe.ts";
import type { Config } from "../../../config/config.ts";
import { parseJson, isJsonObject, type JsonObject } from "../../../core/json.ts";
import { fail, succeed, type ToolResult } from "../../../core/result.ts";
import type { Effect, WrittenRule } from "../../../core/rule.ts";
import { loadConfigWithInputs } from "../../../secrets/inputs.ts";
import { escapeUnprintable } from "../../../text/printable.ts";
import { refuse } from "../../app-call.ts";
import { collect, defineCommand } from "../../command.ts";
import { commandLine } from "../../command-line.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { configError, openSession } from "../../session.ts";
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
import { findCallable } from "../use/callable.ts";

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

interface ListedRule extends WrittenRule {
  readonly rule: string;
  readonly id: string;
  /** The file that it is written in. */
  readonly file?: string;
}

async function list(options: GlobalOptions): Promise<number> {
  const loaded = await loadConfigWithInputs({ configPath: options.config, home: options.home });
  if (!loaded.ok) throw configError(loaded.problems);
  const rules = listedRules(loaded.config);
  if (options.json === true) printJson({ trust: loaded.config.trust, rules });
  else showRules(rules, options);
  return EXIT.ok;
}

/** The texts are those that may be shown: a rule can hold a secret of the environment. */
function listedRules(config: Config): ListedRule[] {
  const { rules: shown, ruleFiles: files } = describeConfig(config);
  return createRuleSet(config.rules, config.trust).rules.map(({ id, name, written }, index) => {
    const file = files[index] ?? "";
    return { rule: name, id, ...(shown[index] ?? written!), ...(file !== "" && { file }) };
  });
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
    const config = session.config.current();
    const caller = callerOf(options, openTokens(config.home).list());
    const servers = config.servers.map(({ id }) => id);
    const told = await explainNamed(session.app, tool, servers, { ...caller, args: args.data });
    if (!told.success) return refuse(told.error, options);
    const file = fileOf(told.data, config);
    const decides = listedRules(config).find(
      ({ id, rule }) => id === told.data.rule.id && rule === told.data.rule.name,
    );
    const limits = decides === undefined ? "" : limitsOf(decides);
    if (options.json === true) printJson({ ...told.data, ...(file !== undefined && { file }) });
    else show(told.data, file, limits);
    return EXIT.ok;
  } finally {
    await session.close();
  }
}

type Asked = Omit<Parameters<App["explainCall"]>[0], "name">;

/** By its exposed name where something has it; else by whatever people write for it, which may start its server. */
async function explainNamed(
  app: App,
  name: string,
  servers: readonly string[],
  asked: Asked,
): Promise<ToolResult<ExplainedCall>> {
  const told = await app.explainCall({ ...asked, name });
  if (told.success || told.error.code !== "TOOL_NOT_FOUND" || name.includes("://")) return told;
  const found = await findCallable(app, name, servers);
  return found.success ? app.explainCall({ ...asked, name: found.data.name }) : found;
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

/** What a token may be limited to beside its scopes. */
interface LimitedEntry extends TokenEntry {
  readonly effects?: readonly Effect[];
  readonly tools?: readonly string[];
}

/** A bare name is that of a token. A token for one profile comes in through that one. */
function callerOf(
  { who = [], profile = [] }: ExplainOptions,
  tokens: readonly LimitedEntry[],
): { who: string[]; limits?: TokenLimits } {
  const named = who.map((name) => (name === "local" || name.includes(":") ? name : `token:${name}`));
  const isProfile = (name: string) => name.startsWith("profile:");
  const callers = named.filter((name) => !isProfile(name));
  const token = tokens.find(({ name }) => callers.includes(`token:${name}`));
  const profiles = [...named.filter(isProfile), ...profile.map((name) => `profile:${name}`)];
  const only = profiles.length === 0 && token?.profiles?.length === 1 ? [`profile:${token.profiles[0]}`] : [];
  const all = [...(callers.length === 0 ? ["local"] : callers), ...profiles, ...only];
  if (token?.effects === undefined && token?.tools === undefined) return { who: all };
  const { name, effects, tools } = token;
  const limits = {
    name,
    ...(effects !== undefined && { effects: new Set(effects) }),
    ...(tools !== undefined && { tools }),
  };
  return { who: all, limits };
}

function fileOf({ rule }: ExplainedCall, { ruleFiles }: Config): string | undefined {
  const [, index] = /^rules\[(\d{1,9})\]$/.exec(rule.name) ?? [];
  const file = index === undefined ? undefined : ruleFiles[Number(index)];
  return file === "" ? undefined : file;
}

const LABEL_WIDTH = 9;
const DECISIONS = {
  allow: green("allowed"),
  ask: yellow("a person is asked first"),
  refuse: red("refused"),
} as const;

function show(told: ExplainedCall, file: string | undefined, limits: string): void {
  const { kind, name, source, who, effect, effect_from: from, do: action, rule, notes } = told;
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
function showPassed(passed: ExplainedCall["passed"]): void {
  const near = passed.filter(({ mismatch }) => !mismatch.startsWith("tool:"));
  if (passed.length === 0) return;
  print();
  print(dim("before it"));
  printTable(near.map(({ rule, mismatch }) => [`  ${rule}`, mismatch]));
  const others = passed.length - near.length;
  if (others > 0) print(`  ${others === 1 ? "1 rule is" : `${others} rules are`} about other tools`);
}
