/**
 * Who may do what: one table, by method and, for `tools/call`, by tool. What is not in it needs `admin`, so a method
 * that is added elsewhere is closed until it has a row here.
 */
import type { JsonObject } from "../../core/json.ts";
import type { Permission, Principal } from "../../core/principal.ts";
import { challengeOf } from "./challenge.ts";

const BY_METHOD: ReadonlyMap<string, Permission> = new Map([
  ["initialize", "read"],
  ["ping", "read"],
  ["server/discover", "read"],
  ["tools/list", "read"],
  ["resources/list", "read"],
  ["resources/templates/list", "read"],
  ["resources/read", "read"],
  ["resources/subscribe", "read"],
  ["resources/unsubscribe", "read"],
  ["prompts/list", "read"],
  ["prompts/get", "read"],
  ["completion/complete", "read"],
  ["logging/setLevel", "read"],
  ["subscriptions/listen", "read"],
  ["skills/list", "read"],
  ["skills/get", "read"],
  ["resources/directory/read", "read"],
  ["tasks/get", "read"],
  ["tasks/update", "call"],
  ["tasks/cancel", "call"],
]);

/** The meta-tools. Any other tool, of a server or kept, is called. */
const BY_TOOL: ReadonlyMap<string, Permission> = new Map([
  ["browse_components", "read"],
  ["list_library", "read"],
  ["describe_workflow", "read"],
  ["save_to_library", "write"],
  ["execute", "call"],
]);

/**
 * What a message needs. `toolName` is that of a `tools/call`; where names are a server's own (a transparent profile),
 * leave it out, because a server may call its tools as it likes, also `list_library`.
 */
export function permissionFor(method: string, toolName: string | undefined): Permission {
  if (method === "tools/call") return BY_TOOL.get(toolName ?? "") ?? "call";
  if (method.startsWith("notifications/")) return "read";
  return BY_METHOD.get(method) ?? "admin";
}

/** Everything that a `tools/call` needs: running something and keeping it in the same call is both. */
export function permissionsForCall(toolName: string | undefined, args: JsonObject): readonly Permission[] {
  const permission = permissionFor("tools/call", toolName);
  const keeps = toolName === "execute" && args["save_as"] !== undefined && args["save_as"] !== null;
  return keeps ? [permission, "write"] : [permission];
}

/** Why a principal may not connect by this profile, or by none; undefined where they may. */
export function findProfileProblem({ profiles }: Principal, profile: string | undefined): string | undefined {
  if (profiles === undefined || (profile !== undefined && profiles.has(profile))) return undefined;
  const allowed = [...profiles].map((name) => `/mcp/${name}`).join(", ");
  const what = profile === undefined ? "the gateway without a profile" : `the profile ${profile}`;
  return (
    `This token does not open ${what}, only ${allowed}. ` +
    `Use that address, or make another token with: repertoire token create NAME${profile === undefined ? "" : ` --profile ${profile}`}`
  );
}

/** The issuer's names for permissions, where they are not called like them. */
export type ScopeNames = Readonly<Partial<Record<Permission, string>>>;

export function scopeNameOf(permission: Permission, scopes: ScopeNames): string {
  return scopes[permission] ?? permission;
}

export interface InsufficientScope {
  readonly status: 403;
  readonly challenge: string;
  readonly message: string;
}

/**
 * The answer to a token that is good, but not for this. It names the one scope that is missing, so that no more is
 * asked for.
 */
export function insufficientScope(
  permission: Permission,
  scopeName: string,
  resourceMetadataUrl: string | undefined,
): InsufficientScope {
  const message = `This token lacks the scope ${scopeName}.`;
  const challenge = challengeOf({
    error: "insufficient_scope",
    error_description: message,
    scope: scopeName,
    ...(resourceMetadataUrl !== undefined && { resource_metadata: resourceMetadataUrl }),
  });
  const hint = `Ask for it where the token comes from; one of the gateway's own is made with: repertoire token create NAME --scope ${permission}`;
  return { status: 403, challenge, message: `${message} ${hint}` };
}
