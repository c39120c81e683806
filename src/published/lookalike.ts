/**
 * Names that are nearly those of other servers. A name that differs by a slip of the finger, by letters that look
 * alike or by its namespace alone is how a server that somebody else made gets added in its place.
 */
import { editDistance } from "../text/nearest.ts";

/** A server that a name could be taken for, and how it is known. */
export interface KnownName {
  readonly name: string;
  readonly from: "configured" | "well known" | "registry";
}

/**
 * Servers that many people mean by their name, published by those who run what they are for. Short on purpose:
 * everybody who adds a server is compared with it.
 */
const WELL_KNOWN = [
  "app.linear/linear",
  "com.atlassian/atlassian-mcp-server",
  "com.figma.mcp/mcp",
  "com.notion/mcp",
  "com.stripe/mcp",
  "com.supabase/mcp",
  "io.github.ChromeDevTools/chrome-devtools-mcp",
  "io.github.getsentry/sentry-mcp",
  "io.github.github/github-mcp-server",
  "io.github.microsoft/playwright-mcp",
  "io.github.upstash/context7",
];

export const WELL_KNOWN_NAMES: readonly KnownName[] = WELL_KNOWN.map((name) => ({
  name,
  from: "well known",
}));

/** Under such a name many have a server of their own. */
const COMMON_BASES: ReadonlySet<string> = new Set(["mcp", "mcp-server", "server"]);

/** Undefined for a name that is known itself: whoever wrote it meant it. */
export function findLookalikeName(asked: string, known: readonly KnownName[]): KnownName | undefined {
  const lower = asked.toLowerCase();
  const others = known.filter(({ name }) => name.toLowerCase() !== lower);
  if (known.some(({ name, from }) => from !== "registry" && name.toLowerCase() === lower)) return undefined;
  return others.find((other) => isNear(asked, other));
}

function isNear(asked: string, { name: known, from }: KnownName): boolean {
  const [space, base] = partsOf(asked);
  const [knownSpace, knownBase] = partsOf(known);
  // One namespace has one publisher, who may have servers with similar names.
  if (space === knownSpace) return false;
  if (skeletonOf(asked) === skeletonOf(known) || editDistance(asked.toLowerCase(), known.toLowerCase()) === 1)
    return true;
  if (isSwapped(asked, known)) return true;
  const isSameBase = skeletonOf(base) === skeletonOf(knownBase);
  // Many names end alike in a registry; one that is configured or well known is what people mean by its end.
  return isSameBase && from !== "registry" && !COMMON_BASES.has(base);
}

/** `io.github.acme/notes` and `io.github.notes/acme`. */
function isSwapped(asked: string, known: string): boolean {
  const [one, other] = [asked, known].map((name) => wordsIn(name));
  return one !== other && one!.split(" ").toSorted().join(" ") === other!.split(" ").toSorted().join(" ");
}

function wordsIn(name: string): string {
  return skeletonOf(name.replace(/[./]/g, " "), /[-_]+/g);
}

function partsOf(name: string): [space: string, base: string] {
  const at = name.indexOf("/");
  return [name.slice(0, at).toLowerCase(), name.slice(at + 1).toLowerCase()];
}

/** Letters of other alphabets that look like those of a name. */
const TWINS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    a: "аɑαạ",
    b: "Ьƅ",
    c: "сϲ",
    d: "ԁɗ",
    e: "еёєҽε",
    g: "ɡց",
    h: "һհ",
    i: "іїιıɩ",
    j: "јϳ",
    k: "κкĸ",
    l: "ӏⅼǀ",
    m: "м",
    n: "ոпη",
    o: "оοօσ",
    p: "рρ",
    q: "ԛզ",
    r: "гᴦ",
    s: "ѕꜱ",
    t: "тτ",
    u: "υսц",
    v: "νѵ",
    w: "ԝшω",
    x: "хχ",
    y: "уγү",
    z: "ᴢ",
    "-": "‐‑‒–—−",
    ".": "․。",
    "/": "⁄∕",
  }).flatMap(([plain, twins]) => Array.from(twins, (twin): [string, string] => [twin, plain])),
);

/** The letters a-z that a text seems to have. */
export function plainLettersOf(text: string): string {
  const folded = text.normalize("NFKD").replace(/\p{M}/gu, "");
  return Array.from(folded, (letter) => TWINS.get(letter.toLowerCase()) ?? letter).join("");
}

/** Equal for texts that a reader takes for each other. */
function skeletonOf(text: string, ignored = /[-_.]+/g): string {
  return plainLettersOf(text)
    .toLowerCase()
    .replace(ignored, "")
    .replaceAll("0", "o")
    .replace(/[1|i]/g, "l")
    .replaceAll("rn", "m")
    .replaceAll("vv", "w");
}
