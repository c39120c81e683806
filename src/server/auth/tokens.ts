/** What can be done with the gateway's own tokens: show, list, create, revoke, rotate. */
import { systemClock, type Clock } from "../../core/clock.ts";
import { didYouMean, nearest } from "../../text/nearest.ts";
import { PERMISSIONS, type Permission } from "../../core/principal.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import {
  findLimitProblem,
  findNameProblem,
  findPermissionProblem,
  type TokenProblem,
} from "./token-problem.ts";
import { changeTokens, readTokens } from "./token-file.ts";
import {
  DEFAULT_TOKEN_NAME,
  digestOf,
  makeToken,
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

/** All of it throws where the file cannot or must not be read. */
export interface Tokens {
  /** Makes the default token if there has never been any; says what it is only then. */
  begin(): ShownToken | undefined;
  /** The default token, made where there is none. */
  showDefault(): ShownToken;
  list(): readonly TokenEntry[];
  find(name: string): ToolResult<TokenEntry>;
  create(name: string, permissions: readonly Permission[], limits?: TokenLimits): ToolResult<ShownToken>;
  revoke(name: string): ToolResult<TokenEntry>;
  /**
   * A new text for the same name, permissions and limits; the old one is good no longer. `expiresAt` replaces the one
   * that it has, and null takes it away.
   */
  rotate(name: string, expiresAt?: string | null): ToolResult<ShownToken>;
}

export interface TokensDeps {
  readonly clock?: Clock;
  readonly random?: RandomBytes;
}

export function openTokens(home: string, { clock = systemClock, random }: TokensDeps = {}): Tokens {
  function make(name: string, permissions: readonly Permission[], given: TokenLimits = {}) {
    const token = makeToken(random);
    const limits = limitsOf(given);
    const entry: TokenEntry = {
      name,
      permissions,
      ...limits,
      hash: digestOf(token).toString("hex"),
      ...(name === DEFAULT_TOKEN_NAME && { value: token }),
      createdAt: new Date(clock.now()).toISOString(),
    };
    return { entry, shown: { name, permissions, ...limits, token, isNew: true } };
  }

  return {
    list: () => readTokens(home) ?? [],
    find(name) {
      const entries = readTokens(home) ?? [];
      const known = entries.find((entry) => entry.name === name);
      return known === undefined ? unknownToken(name, entries) : succeed(known);
    },
    begin: () =>
      changeTokens(home, (entries) => {
        if (entries !== undefined) return { outcome: undefined };
        const { entry, shown } = make(DEFAULT_TOKEN_NAME, PERMISSIONS);
        return { entries: [entry], outcome: shown };
      }),
    showDefault: () =>
      changeTokens<ShownToken>(home, (entries = []) => {
        const known = entries.find((entry) => entry.name === DEFAULT_TOKEN_NAME);
        if (known?.value !== undefined) {
          const { name, permissions, value: token } = known;
          return { outcome: { name, permissions, ...limitsOf(known), token, isNew: false } };
        }
        const { entry, shown } = make(DEFAULT_TOKEN_NAME, PERMISSIONS);
        return { entries: [...without(entries, DEFAULT_TOKEN_NAME), entry], outcome: shown };
      }),
    create: (name, permissions, limits = {}) =>
      changeTokens<ToolResult<ShownToken>>(home, (entries = []) => {
        const problem =
          findNameProblem(name, entries) ??
          findPermissionProblem(permissions) ??
          findLimitProblem(limits, clock.now());
        if (problem !== undefined) return { outcome: problem };
        const { entry, shown } = make(name, permissions, limits);
        return { entries: [...entries, entry], outcome: succeed(shown) };
      }),
    revoke: (name) =>
      changeTokens<ToolResult<TokenEntry>>(home, (entries = []) => {
        const known = entries.find((entry) => entry.name === name);
        if (known === undefined) return { outcome: unknownToken(name, entries) };
        return { entries: without(entries, name), outcome: succeed(known) };
      }),
    rotate: (name, expiresAt) =>
      changeTokens<ToolResult<ShownToken>>(home, (entries = []) => {
        const known = entries.find((entry) => entry.name === name);
        if (known === undefined) return { outcome: unknownToken(name, entries) };
        const limits = expiresAt === undefined ? known : { ...known, expiresAt: expiresAt ?? undefined };
        const problem = findLimitProblem(limits, clock.now());
        if (problem !== undefined) return { outcome: problem };
        const { entry, shown } = make(name, known.permissions, limits);
        return { entries: [...without(entries, name), entry], outcome: succeed(shown) };
      }),
  };
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
