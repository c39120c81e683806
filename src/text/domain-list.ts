/** Which hosts a list of domains means: `example.com` itself, `*.example.com` what is below it, `*` everything. */
import { isIP } from "node:net";

const LABEL = "[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?";
const NAME = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`);
const NAME_LENGTH_MAX = 253;

/** What is wrong with one entry of a list; undefined where nothing is. */
export function findDomainProblem(entry: string): string | undefined {
  const name = bareName(entry.startsWith("*.") ? entry.slice(2) : entry);
  const isName = NAME.test(name) && name.length <= NAME_LENGTH_MAX;
  if (entry === "*" || isName || (isIP(name) !== 0 && !entry.startsWith("*."))) return undefined;
  return "must be a domain (api.example.com), what is below one (*.example.com), an address, or *";
}

/** Whether an entry is this very host, and not only a pattern that it fits. */
export function namesHost(entries: readonly string[], host: string): boolean {
  return entries.some((entry) => bareName(entry) === bareName(host));
}

export function matchesHost(entries: readonly string[], host: string): boolean {
  const name = bareName(host);
  return entries.some((entry) => {
    const pattern = bareName(entry);
    if (pattern === "*") return true;
    return pattern.startsWith("*.") ? name.endsWith(pattern.slice(1)) : name === pattern;
  });
}

/** A name in one spelling: small letters, no dot at its end, no brackets around an address. */
export function bareName(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "");
}
