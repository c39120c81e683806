/** Why a token cannot be made as it was asked for. */
import { isScopePart } from "../../core/names.ts";
import { PERMISSIONS, type Permission } from "../../core/principal.ts";
import { fail } from "../../core/result.ts";
import { EFFECTS } from "../../core/rule.ts";
import {
  DEFAULT_TOKEN_NAME,
  isEffect,
  isInstant,
  isProfileName,
  isToolPattern,
  TOKEN_COUNT_MAX,
  TOOL_PATTERN_COUNT_MAX,
  type TokenEntry,
  type TokenLimits,
} from "./token.ts";

export type TokenProblem = ReturnType<typeof fail>;

export function findNameProblem(name: string, entries: readonly TokenEntry[]): TokenProblem | undefined {
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

export function findPermissionProblem(permissions: readonly Permission[]): TokenProblem | undefined {
  if (permissions.length > 0) return undefined;
  return fail("TOOL_INVALID_INPUT", "A token without a scope may do nothing.", {
    field: "scope",
    hint: `Give some of: ${PERMISSIONS.join(", ")}.`,
  });
}

export function findLimitProblem(limits: TokenLimits, nowMs: number): TokenProblem | undefined {
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
