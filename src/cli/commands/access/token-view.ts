/** Tokens as people read them. */
import type { LastUses, ReachedTool, ShownToken, TokenEntry, TokenReach } from "../../../app/app.ts";
import { viewEntry, type TokenView } from "../../../operator/access/token-view.ts";
import { agoOf, countOf } from "../../terminal/wording.ts";
import { note, print, printTable } from "../../terminal/terminal.ts";

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
