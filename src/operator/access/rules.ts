/** Who may do what, in the order in which it is decided, and which rule decides on a call. */
import {
  createRuleSet,
  type App,
  type ExplainedCall,
  type TokenEntry,
  type TokenLimits,
} from "../../app/app.ts";
import { describeConfig } from "../../config/describe.ts";
import type { Config } from "../../config/config.ts";
import type { JsonObject } from "../../core/json.ts";
import { LOCAL, type Principal } from "../../core/principal.ts";
import { succeed, type ToolResult } from "../../core/result.ts";
import type { WrittenRule } from "../../core/rule.ts";
import { findCallable, knownLookup, type Callable, type Lookup } from "../tools/callables.ts";
import type { Handlers, OperatorDeps, Viewer } from "../operator.ts";

export const ruleHandlers: Handlers<"listRules" | "explainCall" | "listProfiles"> = {
  async listProfiles({ config }) {
    const { profiles } = describeConfig(config.current());
    return succeed({
      profiles: Object.entries(profiles).map(([name, rules]) => ({ name, url: `/mcp/${name}`, rules })),
    });
  },
  listRules: async ({ config }) => succeed(listRules(config.current())),
  explainCall: (deps, _viewer, { body: { tool, args, who, profile } }) =>
    explainCall(
      deps,
      { tool, args: args as JsonObject, who, profiles: profile === undefined ? [] : [profile] },
      knownLookup(deps.app),
    ),
};

export type ListedRule = { readonly [Field in keyof WrittenRule]: WrittenRule[Field] } & {
  readonly rule: string;
  readonly id: string;
  /** The file that it is written in. */
  readonly file?: string;
};

export interface ListedRules {
  readonly trust: string;
  readonly rules: ListedRule[];
}

/** The texts are those that may be shown: a rule can hold a secret of the environment. */
export function listRules(config: Config): ListedRules {
  const { rules: shown, ruleFiles: files } = describeConfig(config);
  const rules = createRuleSet(config.rules, config.trust).rules.map(({ id, name, written }, index) => {
    const file = files[index] ?? "";
    return { rule: name, id, ...(shown[index] ?? written!), ...(file !== "" && { file }) };
  });
  return { trust: config.trust, rules };
}

/** A call that somebody would make, in the words of a person. */
export interface CallInWords {
  readonly tool: string;
  readonly args: JsonObject;
  /** A bare name is that of a token; without any, the person at this machine. */
  readonly who: readonly string[];
  readonly profiles: readonly string[];
}

/** A call with the rule that decides on it. */
export type ExplainedWithFile = Omit<ExplainedCall, "who" | "notes" | "passed"> & {
  readonly who: string[];
  readonly notes: string[];
  readonly passed: { rule: string; mismatch: string }[];
  /** The file that the rule is written in. */
  readonly file?: string;
};

export async function explainCall(
  { app, config }: Pick<OperatorDeps, "app" | "config">,
  { tool, args, who, profiles }: CallInWords,
  lookup: Lookup,
): Promise<ToolResult<ExplainedWithFile>> {
  const current = config.current();
  const caller = callerOf(who, profiles, await app.tokens.list());
  const servers = current.servers.map(({ id }) => id);
  const told = await explainNamed(app, tool, servers, { ...caller, args }, lookup);
  return told.success ? succeed(withFile(told.data, current)) : told;
}

type Asked = Omit<Parameters<App["explainCall"]>[0], "name">;

/** By its exposed name where something has it; else by whatever people write for it. */
async function explainNamed(
  app: App,
  name: string,
  servers: readonly string[],
  asked: Asked,
  lookup: Lookup,
): Promise<ToolResult<ExplainedCall>> {
  const told = await app.explainCall({ ...asked, name });
  if (told.success || told.error.code !== "TOOL_NOT_FOUND" || name.includes("://")) return told;
  const found = await findCallable(app, name, servers, lookup);
  return found.success ? app.explainCall({ ...asked, name: found.data.name }) : found;
}

/** A bare name is that of a token. A token for one profile comes in through that one. */
function callerOf(
  who: readonly string[],
  profile: readonly string[],
  tokens: readonly TokenEntry[],
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

/** With the file of the rule that decides, where it is written in one. */
function withFile(told: ExplainedCall, { ruleFiles }: Pick<Config, "ruleFiles">): ExplainedWithFile {
  const [, index] = /^rules\[(\d{1,9})\]$/.exec(told.rule.name) ?? [];
  const file = (index === undefined ? undefined : ruleFiles[Number(index)]) ?? "";
  const { who, notes, passed } = told;
  return { ...told, who: [...who], notes: [...notes], passed: [...passed], ...(file !== "" && { file }) };
}

/** Null for a meta-tool, which rules are not about. A limited viewer is told the rule that decides and no other. */
export async function explainFor(
  { app, config }: OperatorDeps,
  { principal, view, owner }: Pick<Viewer, "principal" | "view" | "owner">,
  { kind, name }: Pick<Callable, "kind" | "name">,
): Promise<ExplainedWithFile | null> {
  if (kind === "meta_tool") return null;
  const who = [principal?.id ?? LOCAL, ...(view === undefined ? [] : [`profile:${view.profile}`])];
  const told = await app.explainCall({ name, args: {}, who, limits: limitsOf(principal) });
  if (!told.success) return null;
  if (owner === undefined) return withFile(told.data, config.current());
  return withFile({ ...told.data, passed: [] }, { ruleFiles: [] });
}

function limitsOf(principal: Principal | undefined): TokenLimits | undefined {
  if (principal?.effects === undefined && principal?.tools === undefined) return undefined;
  const { name, effects, tools } = principal;
  return { name, ...(effects !== undefined && { effects }), ...(tools !== undefined && { tools }) };
}
