/** Tokens as people and programs read them. */
import {
  isExpired,
  type LastUses,
  type ReachedTool,
  type ShownToken,
  type TokenEntry,
  type TokenReach,
} from "../../../app/app.ts";
import type { JsonObject } from "../../../core/json.ts";
import { agoOf, countOf } from "../../terminal/wording.ts";
import { note, print, printTable } from "../../terminal/terminal.ts";

/** A limit that a token does not have is left out. */
function viewLimits({ profiles, effects, tools, expiresAt }: Partial<TokenEntry>) {
  return {
    ...(profiles !== undefined && { profiles }),
    ...(effects !== undefined && { effects }),
    ...(tools !== undefined && { tools }),
    ...(expiresAt !== undefined && { expires_at: expiresAt }),
  };
}

export function viewNew({ name, permissions, token, ...limits }: ShownToken): JsonObject {
  return { name, scopes: [...permissions], ...viewLimits(limits), token };
}

export interface TokenView {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly profiles?: readonly string[];
  readonly effects?: readonly string[];
  readonly tools?: readonly string[];
  readonly expires_at?: string;
  readonly expired?: true;
  readonly created_at: string;
  readonly last_used_at: string | null;
}

export function viewEntry(entry: TokenEntry, uses: LastUses): TokenView {
  const usedAt = uses.get(entry.name);
  return {
    name: entry.name,
    scopes: entry.permissions,
    ...viewLimits(entry),
    ...(isExpired(entry) && { expired: true as const }),
    created_at: entry.createdAt,
    last_used_at: usedAt === undefined ? null : new Date(usedAt).toISOString(),
  };
}

/** `read, call; only the profile triage; effects read; tools github__*; expires 2027-01-31T00:00:00.000Z`. */
export function limitsInWords({ permissions, profiles, effects, tools, expiresAt }: ShownToken): string {
  return [
    permissions.join(", "),
    ...(profiles === undefined
      ? []
      : [`only ${profiles.length === 1 ? "the profile" : "the profiles"} ${profiles.join(", ")}`]),
    ...(effects === undefined ? [] : [`effects ${effects.join(", ")}`]),
    ...(tools === undefined ? [] : [`tools ${tools.join(", ")}`]),
    ...(expiresAt === undefined ? [] : [`expires ${expiresAt}`]),
  ].join("; ");
}

const HEADINGS = ["TOKEN", "SCOPES", "PROFILES", "EFFECTS", "TOOLS", "EXPIRES", "LAST USED", "CREATED"];

export function printTokens(entries: readonly TokenEntry[], uses: LastUses): void {
  const rows = entries.map((entry) => {
    const view = viewEntry(entry, uses);
    return [
      view.name,
      view.scopes.join(","),
      view.profiles?.join(",") ?? "all",
      view.effects?.join(",") ?? "all",
      view.tools?.join(",") ?? "all",
      expiryOf(view),
      view.last_used_at === null ? "-" : agoOf(view.last_used_at),
      toSeconds(view.created_at),
    ];
  });
  printTable([HEADINGS, ...rows]);
}

function expiryOf({ expires_at: expiresAt, expired }: TokenView): string {
  if (expiresAt === undefined) return "never";
  return expired === true ? `expired ${agoOf(expiresAt)}` : toSeconds(expiresAt);
}

function toSeconds(time: string): string {
  return time.replace(/\.\d+Z$/, "Z");
}

export function printToken(view: TokenView & { readonly reach: readonly TokenReach[] }): void {
  printTable([
    ["token", view.name],
    ["scopes", view.scopes.join(", ")],
    ["profiles", view.profiles?.join(", ") ?? "all, and the gateway without one"],
    ["effects", view.effects?.join(", ") ?? "all"],
    ["tools", view.tools?.join(", ") ?? "all"],
    ["expires", expiryOf(view)],
    ["last used", view.last_used_at === null ? "-" : agoOf(view.last_used_at)],
    ["created", toSeconds(view.created_at)],
  ]);
  for (const reach of view.reach) printReach(reach);
}

function printReach({ profile, isMissing, tools, pending }: TokenReach): void {
  const where = profile === null ? "The whole gateway" : `The profile ${profile}`;
  print();
  if (isMissing === true) return print(`${where} is not in the config: the token can do nothing there.`);
  const counts = (["allow", "ask", "refuse"] as const)
    .map((action) => [action, tools.filter((tool) => tool.do === action).length] as const)
    .filter(([, count]) => count > 0)
    .map(([action, count]) => `${count} ${action}`);
  print(`${where}: ${countOf(tools.length, "tool")}${counts.length === 0 ? "" : ` (${counts.join(", ")})`}`);
  if (tools.length > 0) printTable([["TOOL", "EFFECT", "DO", "RULE"], ...tools.map(rowOf)]);
  if (pending.length === 0) return;
  note(
    `Not known yet, because the server was never asked: ${pending.join(", ")}. Ask with: repertoire tools`,
  );
}

function rowOf({ name, effect, do: action, rule }: ReachedTool): string[] {
  return [name, effect, action, rule.why === undefined ? rule.name : `${rule.name}: ${rule.why}`];
}
