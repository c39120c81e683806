/** What can be done to the list of the gateway's own tokens: each a function of the list, wherever it is kept. */
import { systemClock, type Clock } from "../../core/clock.ts";
import { isScopePart } from "../../core/names.ts";
import { PERMISSIONS, type Permission } from "../../core/principal.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import { EFFECTS } from "../../core/rule.ts";
import { didYouMean, nearest } from "../../text/nearest.ts";
import { ENVIRONMENT_TOKEN_NAME } from "./environment-token.ts";
import type { EntryChange } from "./token-keeper.ts";
import {
  DEFAULT_TOKEN_NAME,
  digestOf,
  isEffect,
  isInstant,
  isProfileName,
  isToolPattern,
  makeToken,
  TOKEN_COUNT_MAX,
  TOOL_PATTERN_COUNT_MAX,
  type RandomBytes,
  type TokenEntry,
  type TokenLimits,
} from "./token.ts";

/** A token that was made just now, or the default one: the only moments in which its text is known. */
export interface ShownToken extends TokenLimits {
  readonly name: string;
  readonly permissions: readonly Permission[];
  readonly token: string;
  readonly isNew: boolean;
}

export interface TokenChangesDeps {
  readonly clock?: Clock;
  readonly random?: RandomBytes;
  /** Whether the text of the default token is kept beside its hash. */
  readonly keepsText: boolean;
}

export interface TokenChanges {
  begin(): EntryChange<ShownToken | undefined>;
  showDefault(): EntryChange<ShownToken>;
  create(
    name: string,
    permissions: readonly Permission[],
    limits?: TokenLimits,
  ): EntryChange<ToolResult<ShownToken>>;
  revoke(name: string): EntryChange<ToolResult<TokenEntry>>;
  rotate(name: string, expiresAt?: string | null): EntryChange<ToolResult<ShownToken>>;
}

export function createTokenChanges({
  clock = systemClock,
  random,
  keepsText,
}: TokenChangesDeps): TokenChanges {
  function make(name: string, permissions: readonly Permission[], given: TokenLimits = {}) {
    const token = makeToken(random);
    const limits = limitsOf(given);
    const entry: TokenEntry = {
      name,
      permissions,
      ...limits,
      hash: digestOf(token).toString("hex"),
      ...(name === DEFAULT_TOKEN_NAME && keepsText && { value: token }),
      createdAt: new Date(clock.now()).toISOString(),
    };
    return { entry, shown: { name, permissions, ...limits, token, isNew: true } };
  }

  return {
    begin: () => (entries) => {
      if (entries !== undefined) return { outcome: undefined };
      const { entry, shown } = make(DEFAULT_TOKEN_NAME, PERMISSIONS);
      return { entries: [entry], outcome: shown };
    },
    showDefault:
      () =>
      (entries = []) => {
        const known = entries.find((entry) => entry.name === DEFAULT_TOKEN_NAME);
        if (known?.value !== undefined) {
          const { name, permissions, value: token } = known;
          return { outcome: { name, permissions, ...limitsOf(known), token, isNew: false } };
        }
        const { entry, shown } = make(DEFAULT_TOKEN_NAME, PERMISSIONS);
        return { entries: [...without(entries, DEFAULT_TOKEN_NAME), entry], outcome: shown };
      },
    create:
      (name, permissions, limits = {}) =>
      (entries = []) => {
        const problem =
          findNameProblem(name, entries) ??
          findPermissionProblem(permissions) ??
          findLimitProblem(limits, clock.now());
        if (problem !== undefined) return { outcome: problem };
        const { entry, shown } = make(name, permissions, limits);
        return { entries: [...entries, entry], outcome: succeed(shown) };
      },
    revoke:
      (name) =>
      (entries = []) => {
        const found = findToken(name, entries);
        return found.success ? { entries: without(entries, name), outcome: found } : { outcome: found };
      },
    rotate:
      (name, expiresAt) =>
      (entries = []) => {
        const found = findToken(name, entries);
        if (!found.success) return { outcome: found };
        const known = found.data;
        const limits = expiresAt === undefined ? known : { ...known, expiresAt: expiresAt ?? undefined };
        const problem = findLimitProblem(limits, clock.now());
        if (problem !== undefined) return { outcome: problem };
        const { entry, shown } = make(name, known.permissions, limits);
        return { entries: [...without(entries, name), entry], outcome: succeed(shown) };
      },
  };
}

export function findToken(name: string, entries: readonly TokenEntry[] = []): ToolResult<TokenEntry> {
  const known = entries.find((entry) => entry.name === name);
  return known === undefined ? unknownToken(name, entries) : succeed(known);
}

/** The limits of what may be more than that, each named once; an empty list is none. */
function limitsOf({ profiles, effects, tools, expiresAt }: TokenLimits): TokenLimits {
  return {
    ...(profiles !== undefined && profiles.length > 0 && { profiles: [...new Set(profiles)] }),
    ...(effects !== undefined && effects.length > 0 && { effects: [...new Set(effects)] }),
    ...(tools !== undefined && tools.length > 0 && { tools: [...new Set(tools)] }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
}

function without(entries: readonly TokenEntry[], name: string): TokenEntry[] {
  return entries.filter((entry) => entry.name !== name);
}

function unknownToken(name: string, entries: readonly TokenEntry[]): TokenProblem {
  const names = entries.map((entry) => entry.name);
  const near = nearest(name, names);
  return fail("TOOL_NOT_FOUND", `There is no token ${JSON.stringify(name)}.${didYouMean(near)}`, {
    field: "name",
    nearest: near,
    hint: "`repertoire token list` shows what there is.",
  });
}

/** Why a token cannot be made as it was asked for. */
type TokenProblem = ReturnType<typeof fail>;

function findNameProblem(name: string, entries: readonly TokenEntry[]): TokenProblem | undefined {
  if (!isScopePart(name)) {
    return fail("TOOL_INVALID_INPUT", `${JSON.stringify(name)} cannot be the name of a token.`, {
      field: "name",
      hint: "Use lower-case letters, digits, - and _, at most 32 of them, such as laptop or ci-2.",
    });
  }
  if (name === DEFAULT_TOKEN_NAME) {
    return fail("TOOL_INVALID_INPUT", "default is the name of the token that the first start makes.", {
      field: "name",
      hint: "Choose another name. `repertoire token` shows the default one, `repertoire token rotate` replaces it.",
    });
  }
  if (name === ENVIRONMENT_TOKEN_NAME) {
    return fail("TOOL_INVALID_INPUT", `${name} is the name of the token in REPERTOIRE_TOKEN.`, {
      field: "name",
      hint: "Choose another name.",
    });
  }
  if (entries.some((entry) => entry.name === name)) {
    return fail("TOOL_INVALID_INPUT", `There is a token ${name} already.`, {
      field: "name",
      reason: "taken",
      hint: `Choose another name, or replace it with \`repertoire token rotate ${name}\`.`,
    });
  }
  if (entries.length < TOKEN_COUNT_MAX) return undefined;
  return fail("TOOL_INVALID_INPUT", `There are ${TOKEN_COUNT_MAX} tokens, and no more can be made.`, {
    hint: "Revoke one that is not used: `repertoire token list`, then `repertoire token revoke NAME`.",
  });
}

function findPermissionProblem(permissions: readonly Permission[]): TokenProblem | undefined {
  if (permissions.length > 0) return undefined;
  return fail("TOOL_INVALID_INPUT", "A token without a scope may do nothing.", {
    field: "scope",
    hint: `Give some of: ${PERMISSIONS.join(", ")}.`,
  });
}

function findLimitProblem(limits: TokenLimits, nowMs: number): TokenProblem | undefined {
  const { profiles = [], effects = [], tools = [], expiresAt } = limits;
  return (
    findProfileProblem(profiles) ??
    findEffectProblem(effects) ??
    findToolProblem(tools) ??
    (expiresAt === undefined ? undefined : findExpiryProblem(expiresAt, nowMs))
  );
}

function findProfileProblem(profiles: readonly string[]): TokenProblem | undefined {
  const wrong = profiles.find((profile) => !isProfileName(profile));
  if (wrong === undefined) return undefined;
  return fail("TOOL_INVALID_INPUT", `${JSON.stringify(wrong)} cannot be the name of a profile over HTTP.`, {
    field: "profile",
    hint: "Its address is /mcp/PROFILE: lower-case letters, digits, - and _, at most 64 of them.",
  });
}

function findEffectProblem(effects: readonly string[]): TokenProblem | undefined {
  const wrong = effects.find((effect) => !isEffect(effect));
  if (wrong === undefined) return undefined;
  return fail("TOOL_INVALID_INPUT", `${JSON.stringify(wrong)} is not an effect.`, {
    field: "effects",
    hint: `Give some of ${EFFECTS.join(", ")}, separated by commas.`,
  });
}

function findToolProblem(tools: readonly string[]): TokenProblem | undefined {
  if (tools.length > TOOL_PATTERN_COUNT_MAX) {
    return fail("TOOL_INVALID_INPUT", `A token has at most ${TOOL_PATTERN_COUNT_MAX} patterns of tools.`, {
      field: "tools",
      hint: "Use * for several tools at once, or a profile: --profile NAME.",
    });
  }
  const wrong = tools.find((tool) => !isToolPattern(tool));
  if (wrong === undefined) return undefined;
  return fail("TOOL_INVALID_INPUT", `${JSON.stringify(wrong)} cannot be a pattern of tools.`, {
    field: "tools",
    hint: 'Give one pattern without spaces and commas, such as "github__*"; repeat --tools for each further one.',
  });
}

function findExpiryProblem(expiresAt: string, nowMs: number): TokenProblem | undefined {
  if (isInstant(expiresAt) && Date.parse(expiresAt) > nowMs) return undefined;
  return fail(
    "TOOL_INVALID_INPUT",
    `A token cannot expire at ${JSON.stringify(expiresAt)}: that is not later than now.`,
    {
      field: "expires",
      hint: "Give a time from now such as 30d or 12h, a date that is to come, or never: --expires 30d",
    },
  );
}
