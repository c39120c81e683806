/**
 * The values in a client's file that must not be shown: what is in `env` and headers, whatever its name, what is under
 * the name of a secret, and secrets in the arguments and addresses of servers.
 */
import { parse as parseJsonc } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import { isSecretKey } from "../../text/redaction.ts";
import { collectSecrets } from "../../config/values/secrets.ts";
import type { ClientTarget } from "./client-target.ts";

const HOLDERS: ReadonlySet<string> = new Set(["env", "headers", "http_headers"]);
/** What only names a variable shows nothing. */
const REFERENCE = /^(?:[A-Za-z]+ )?\$(?:\{[^}]*\}|\w+)$/;
/** The file was read before, and reading bounds its depth. */
const DEPTH_MAX = 64;

export function findFileSecrets(text: string, format: ClientTarget["format"]): string[] {
  const body = text.replace(/^\uFEFF/, "");
  const value: unknown = format === "toml" ? parseToml(body, { integersAsBigInt: true }) : parseJsonc(body);
  const secrets = new Set<string>();
  collect(value, false, secrets, 0);
  return [...secrets];
}

function collect(value: unknown, isSecret: boolean, secrets: Set<string>, depth: number): void {
  if (typeof value === "string") {
    if (isSecret && !isReference(value)) for (const line of value.split("\n")) secrets.add(line.trim());
    return;
  }
  if (typeof value !== "object" || value === null || depth > DEPTH_MAX) return;
  for (const secret of collectServerSecrets(value)) secrets.add(secret);
  for (const [key, child] of Object.entries(value)) {
    const isHere = isSecret || (!Array.isArray(value) && (HOLDERS.has(key) || isSecretKey(key)));
    collect(child, isHere, secrets, depth + 1);
  }
}

/** What our own config would hide in a server's arguments and addresses; empty for anything that is not a server. */
function collectServerSecrets(value: object): string[] {
  const { args } = value as { args?: unknown };
  const words = Array.isArray(args) ? args.filter((word) => typeof word === "string") : [];
  const texts = Object.values(value).filter((text) => typeof text === "string");
  const transport = { kind: "stdio", command: "", args: [...texts, "", ...words], env: {} } as const;
  return collectSecrets(transport).filter((secret) => !isReference(secret));
}

function isReference(value: string): boolean {
  return REFERENCE.test(value);
}
