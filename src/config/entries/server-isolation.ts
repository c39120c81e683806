/**
 * The sandbox of a server, from VS Code's words to ours. VS Code has the switch `sandboxEnabled` in the server, and the
 * rules in the server or once for the whole file; both are understood. A server with rules of its own is isolated
 * without the switch too, and only `sandboxEnabled: false` says otherwise.
 */
import type { Isolation } from "../../process/isolation/isolation.ts";
import type { FileServer } from "../schema.ts";
import { asObject, objectAt } from "./server-check.ts";

type Written = Readonly<Record<string, unknown>>;

/** The two parts of a sandbox that VS Code may have for a whole file. */
export const ISOLATION_KEYS = ["filesystem", "network"] as const;

/** What an entry that was checked asks for. */
export function buildIsolation({ sandbox, sandboxEnabled }: Pick<FileServer, "sandbox" | "sandboxEnabled">): {
  isolation?: Isolation;
} {
  if (sandboxEnabled === false || (sandbox === undefined && sandboxEnabled !== true)) return {};
  const { allowRead = [], denyRead = [], allowWrite = [], denyWrite = [] } = sandbox?.filesystem ?? {};
  const { allowedDomains = [], deniedDomains = [] } = sandbox?.network ?? {};
  return {
    isolation: {
      filesystem: { allowRead, denyRead, allowWrite, denyWrite },
      network: { allowedDomains, deniedDomains },
    },
  };
}

/** The same of an entry that was not checked: what has another shape is left out. */
export function isolationAsWritten(written: Written): Pick<FileServer, "sandbox" | "sandboxEnabled"> {
  const sandbox = objectAt(written, "sandbox");
  const enabled = written["sandboxEnabled"];
  return {
    ...(typeof enabled === "boolean" && { sandboxEnabled: enabled }),
    ...(sandbox !== undefined && {
      sandbox: {
        filesystem: textLists(objectAt(sandbox, "filesystem")),
        network: textLists(objectAt(sandbox, "network")),
      },
    }),
  };
}

function textLists(section: Written | undefined): Record<string, string[]> {
  const lists = Object.entries(section ?? {}).filter((pair): pair is [string, unknown[]] =>
    Array.isArray(pair[1]),
  );
  return Object.fromEntries(
    lists.map(([name, list]) => [name, list.filter((one) => typeof one === "string")]),
  );
}

// ── between files ───────────────────────────────────────────────────────────────────────────────────────────────────

/** An entry with the rules of its file, where it has the switch and no rules of its own. */
export function withSandboxOfFile(entry: Record<string, unknown>, file: unknown): Record<string, unknown> {
  const isOwn = Object.hasOwn(entry, "sandbox") || !Object.hasOwn(entry, "command");
  if (entry["sandboxEnabled"] !== true || isOwn) return entry;
  const rules = objectAt(file, "sandbox") ?? {};
  const kept = ISOLATION_KEYS.filter((key) => Object.hasOwn(rules, key)).map((key) => [key, rules[key]]);
  return { ...entry, sandbox: Object.fromEntries(kept) as unknown };
}

export function asksForSandbox(entry: Written): boolean {
  const { sandbox, sandboxEnabled } = entry;
  return sandboxEnabled === true || (sandbox !== undefined && sandboxEnabled !== false);
}

const ALLOWING = ["filesystem.allowRead", "filesystem.allowWrite", "network.allowedDomains"] as const;
const DENYING = ["filesystem.denyRead", "filesystem.denyWrite", "network.deniedDomains"] as const;

/** The key by which an entry would be less isolated than it must be; undefined where it asks for nothing like that. */
export function findLooser(entry: Written, demanded: Written): "sandbox" | "sandboxEnabled" | undefined {
  if (entry["sandboxEnabled"] === false) return "sandboxEnabled";
  const isOther = (name: string): boolean => {
    const own = ruleAt(entry, name);
    return own !== undefined && JSON.stringify(own) !== JSON.stringify(ruleAt(demanded, name));
  };
  return ALLOWING.some(isOther) ? "sandbox" : undefined;
}

/** An entry that allows what is demanded and no more, and denies what either of them denies. */
export function withDemanded(entry: Record<string, unknown>, demanded: Written): Record<string, unknown> {
  const sandbox: Record<string, unknown> = { ...asObject(entry["sandbox"]) };
  const set = (name: string, value: unknown): void => {
    const [section, key] = name.split(".") as [string, string];
    sandbox[section] = { ...asObject(sandbox[section]), [key]: value };
  };
  for (const name of ALLOWING) set(name, ruleAt(demanded, name) ?? []);
  for (const name of DENYING) set(name, both(ruleAt(demanded, name), ruleAt(entry, name)));
  return { ...entry, sandboxEnabled: true, sandbox };
}

function ruleAt(entry: Written, name: string): unknown {
  const [section, key] = name.split(".") as [string, string];
  return objectAt(objectAt(entry, "sandbox"), section)?.[key];
}

/** What is no list stays, for the check to complain about it. */
function both(first: unknown, second: unknown): unknown {
  const [one, other] = [first ?? [], second ?? []] as unknown[];
  if (!Array.isArray(one)) return one;
  return Array.isArray(other) ? [...(one as unknown[]), ...(other as unknown[])] : other;
}
