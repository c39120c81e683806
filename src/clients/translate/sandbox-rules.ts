/**
 * The sandbox of an entry, as VS Code writes it. What VS Code lets every sandboxed server do without saying so is
 * written out, so that the server works as it did and its reader sees what it may do.
 */
import type { Json, JsonObject } from "../../core/json.ts";
import { findPackageRun } from "../../config/entries/package-run.ts";
import { quoteKey } from "../../config/problem.ts";
import { asObject } from "../../config/entries/server-check.ts";
import type { EntryContext } from "./entry-fields.ts";
import { wholePath } from "./program-entry.ts";

const FILE_RULES = ["allowWrite", "denyWrite", "denyRead", "allowRead"] as const;
const NETWORK_RULES = ["allowedDomains", "deniedDomains"] as const;

/** `reached` is the entry as far as it says how the server is reached. */
export function readSandbox(context: EntryContext, reached: JsonObject): Record<string, Json> {
  const { fields } = context;
  const isSwitchedOn = fields.take("sandboxEnabled");
  const rules = fields.take("sandbox");
  if (isSwitchedOn !== true && rules === undefined) return {};
  if (reached["command"] === undefined) {
    fields.note("Its sandbox is left out: it is reached by a url.");
    return {};
  }
  if (isSwitchedOn === false) {
    fields.note("Its sandbox is left out: it is switched off there.");
    return {};
  }
  if (isSwitchedOn !== true)
    fields.note(
      "It runs in its sandbox here, also without sandboxEnabled. To run it without: sandboxEnabled: false.",
    );
  return { sandboxEnabled: true, sandbox: withDefaults(translate(context, rules), context, reached) };
}

type Sandbox = Record<"filesystem" | "network", Record<string, string[]>>;

function translate(context: EntryContext, rules: unknown): Sandbox {
  const { rewriting } = context;
  const filesystem = sectionAt(context, rules, "filesystem", FILE_RULES, (text) =>
    wholePath(context, "sandbox", text),
  );
  const network = sectionAt(context, rules, "network", NETWORK_RULES, (text) => rewriting.text(text));
  noteRest(context, asObject(rules), ["filesystem", "network"]);
  return { filesystem, network };
}

function sectionAt(
  context: EntryContext,
  rules: unknown,
  name: string,
  known: readonly string[],
  rewrite: (text: string) => string,
): Record<string, string[]> {
  const section = asObject(asObject(rules)?.[name]);
  noteRest(context, section, known);
  const lists = known.flatMap((key): [string, string[]][] => {
    const list = section?.[key];
    if (list === undefined) return [];
    if (Array.isArray(list) && list.every((one) => typeof one === "string"))
      return [[key, list.map(rewrite)]];
    context.fields.note(`${quoteKey(key)} of its sandbox is left out: it is not a list of strings.`);
    return [];
  });
  return Object.fromEntries(lists);
}

function noteRest(
  { fields }: EntryContext,
  section: Record<string, unknown> | undefined,
  known: readonly string[],
): void {
  for (const key of Object.keys(section ?? {}).filter((name) => !known.includes(name)))
    fields.note(`${quoteKey(key)} of its sandbox is left out, because Repertoire has no such setting.`);
}

/** VS Code's own: the working folder that an entry names, and what npm needs. */
function withDefaults(
  { filesystem, network }: Sandbox,
  { client, fields }: EntryContext,
  reached: JsonObject,
): Sandbox {
  const { command, args, cwd } = reached;
  const isNpm = typeof command === "string" && findPackageRun(command, textsOf(args))?.kind === "npm";
  const writes = [...(typeof cwd === "string" ? [cwd] : []), ...(isNpm ? ["${userHome}/.npm"] : [])];
  if (client !== "vscode" || writes.length === 0) return { filesystem, network };
  const hosts = isNpm ? ["registry.npmjs.org"] : [];
  fields.note(
    `What VS Code lets it do anyway is written into its sandbox: ${[...writes, ...hosts].join(", ")}.`,
  );
  return {
    filesystem: { ...filesystem, allowWrite: joined(filesystem["allowWrite"], writes) },
    network:
      hosts.length === 0 ? network : { ...network, allowedDomains: joined(network["allowedDomains"], hosts) },
  };
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

function joined(first: readonly string[] = [], second: readonly string[]): string[] {
  return [...new Set([...first, ...second])];
}
