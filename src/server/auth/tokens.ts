/** What can be done with the gateway's own tokens: show, list, create, revoke, rotate. */
import { systemClock, type Clock } from "../../core/clock.ts";
import { didYouMean, nearest } from "../../text/nearest.ts";
import { isScopePart } from "../../core/names.ts";
import { PERMISSIONS, type Permission } from "../../core/principal.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import { changeTokens, readTokens } from "./token-file.ts";
import {
  DEFAULT_TOKEN_NAME,
  digestOf,
  isProfileName,
  makeToken,
  TOKEN_COUNT_MAX,
  type RandomBytes,
  type TokenEntry,
} from "./token.ts";

/** A token that was made just now, or the default one: the only moments in which its text is known. */
export interface ShownToken {
  readonly name: string;
  readonly permissions: readonly Permission[];
  readonly profiles?: readonly string[];
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
  /** With profiles, it opens these alone. */
  create(
    name: string,
    permissions: readonly Permission[],
    profiles?: readonly string[],
  ): ToolResult<ShownToken>;
  revoke(name: string): ToolResult<TokenEntry>;
  /** A new text for the same name, permissions and profiles; the old one is good no longer. */
  rotate(name: string): ToolResult<ShownToken>;
}

export interface TokensDeps {
  readonly clock?: Clock;
  readonly random?: RandomBytes;
}

export function openTokens(home: string, { clock = systemClock, random }: TokensDeps = {}): Tokens {
  function make(name: string, permissions: readonly Permission[], profiles?: readonly string[]) {
    const token = makeToken(random);
    const limit = profiles === undefined || profiles.length === 0 ? {} : { profiles: [...new Set(profiles)] };
    const entry: TokenEntry = {
      name,
      permissions,
      ...limit,
      hash: digestOf(token).toString("hex"),
      ...(name === DEFAULT_TOKEN_NAME && { value: token }),
      createdAt: new Date(clock.now()).toISOString(),
    };
    return { entry, shown: { name, permissions, ...limit, token, isNew: true } };
  }

  return {
    list: () => readTokens(home) ?? [],
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
          return { outcome: { name, permissions, token, isNew: false } };
        }
        const { entry, shown } = make(DEFAULT_TOKEN_NAME, PERMISSIONS);
        return { entries: [...without(entries, DEFAULT_TOKEN_NAME), entry], outcome: shown };
      }),
    create: (name, permissions, profiles = []) =>
      changeTokens<ToolResult<ShownToken>>(home, (entries = []) => {
        const problem = findProblem(name, permissions, entries) ?? findProfileProblem(profiles);
        if (problem !== undefined) return { outcome: problem };
        const { entry, shown } = make(name, permissions, profiles);
        return { entries: [...entries, entry], outcome: succeed(shown) };
      }),
    revoke: (name) =>
      changeTokens<ToolResult<TokenEntry>>(home, (entries = []) => {
        const known = entries.find((entry) => entry.name === name);
        if (known === undefined) return { outcome: unknownToken(name, entries) };
        return { entries: without(entries, name), outcome: succeed(known) };
      }),
    rotate: (name) =>
      changeTokens<ToolResult<ShownToken>>(home, (entries = []) => {
        const known = entries.find((entry) => entry.name === name);
        if (known === undefined) return { outcome: unknownToken(name, entries) };
        const { entry, shown } = make(name, known.permissions, known.profiles);
        return { entries: [...without(entries, name), entry], outcome: succeed(shown) };
      }),
  };
}

function without(entries: readonly TokenEntry[], name: string): TokenEntry[] {
  return entries.filter((entry) => entry.name !== name);
}

type Failure = ReturnType<typeof fail>;

function findProblem(
  name: string,
  permissions: readonly Permission[],
  entries: readonly TokenEntry[],
): Failure | undefined {
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
  if (permissions.length === 0) {
    return fail("TOOL_INVALID_INPUT", "A token without a scope may do nothing.", {
      field: "scope",
      hint: `Give some of: ${PERMISSIONS.join(", ")}.`,
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

function findProfileProblem(profiles: readonly string[]): Failure | undefined {
  const wrong = profiles.find((profile) => !isProfileName(profile));
  if (wrong === undefined) return undefined;
  return fail("TOOL_INVALID_INPUT", `${JSON.stringify(wrong)} cannot be the name of a profile over HTTP.`, {
    field: "profile",
    hint: "Its address is /mcp/PROFILE: lower-case letters, digits, - and _, at most 64 of them.",
  });
}

function unknownToken(name: string, entries: readonly TokenEntry[]): Failure {
  const names = entries.map((entry) => entry.name);
  const near = nearest(name, names);
  return fail("TOOL_NOT_FOUND", `There is no token ${JSON.stringify(name)}.${didYouMean(near)}`, {
    field: "name",
    nearest: near,
    hint: "`repertoire token list` shows what there is.",
  });
}
