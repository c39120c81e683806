/**
 * The capabilities of a scope, read from the store each time: what any process on the same store saved is in the next
 * answer. A name may have any spelling that `parseReference` takes; a miss is answered with the nearest names.
 */
import {
  BARE_NAMESPACES,
  displayNameOf,
  fqdnOf,
  parseReference,
  toolNameOf,
  type CapabilityName,
  type NameReference,
  type Scope,
} from "../core/names.ts";
import { meantTools, nearestTools } from "../text/tool-spelling.ts";
import type { ToolError } from "../core/errors.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import type { Capability, CapabilityExample, CapabilityStore, CapabilityVersion } from "../core/store.ts";
import { compareText } from "../text/compare-text.ts";

/** A capability with everything that is known of it. */
export interface CapabilityDetails {
  readonly capability: Capability;
  /** The version that was asked for, or the current one. */
  readonly version: CapabilityVersion;
  readonly versions: readonly CapabilityVersion[];
  readonly aliases: readonly CapabilityName[];
}

export interface Library {
  /** In the order of their names; `pattern` is a substring or a glob, null means all. */
  list(pattern: string | null): Promise<Capability[]>;
  /** The same with the versions that are called. */
  listCurrent(pattern: string | null): Promise<Pick<CapabilityDetails, "capability" | "version">[]>;
  find(reference: NameReference): Promise<Capability | undefined>;
  describe(name: string): Promise<ToolResult<CapabilityDetails>>;
  /** The run that was kept with a version. */
  example(version: CapabilityVersion): Promise<CapabilityExample | undefined>;
  /** Every name that could have been meant, for messages. */
  names(): Promise<string[]>;
}

export function createLibrary(capabilities: CapabilityStore, scope: () => Scope): Library {
  async function list(pattern: string | null): Promise<Capability[]> {
    const matches = createMatcher(pattern);
    const all = await capabilities.list(scope());
    return all
      .filter((item) => matches([displayNameOf(item), toolNameOf(item), item.description, ...item.tags]))
      .sort((a, b) => compareText(displayNameOf(a), displayNameOf(b)));
  }

  async function listCurrent(pattern: string | null): ReturnType<Library["listCurrent"]> {
    const matches = createMatcher(pattern);
    const all = await capabilities.listCurrent(scope());
    return all.filter(({ capability: item }) =>
      matches([displayNameOf(item), toolNameOf(item), item.description, ...item.tags]),
    );
  }

  async function names(): Promise<string[]> {
    return (await capabilities.list(scope())).map(displayNameOf);
  }

  async function find(reference: NameReference): Promise<Capability | undefined> {
    if (reference.kind === "capability") return capabilities.find(scope(), reference);
    if (reference.kind === "fqdn")
      return isSameScope(reference.scope, scope()) ? capabilities.find(scope(), reference) : undefined;
    for (const namespace of BARE_NAMESPACES) {
      const found = await capabilities.find(scope(), { namespace, action: reference.action });
      if (found !== undefined) return found;
    }
    return undefined;
  }

  async function describe(name: string): Promise<ToolResult<CapabilityDetails>> {
    const reference = parseReference(name);
    if (!reference.success) return noSuchName(reference.error, name, await names());
    const capability = await find(reference.data);
    if (capability === undefined) return missing(name, await names());
    const versions = await capabilities.versions(capability.id);
    const [version, ...others] = versionsNamed(reference.data, capability, versions);
    if (version === undefined) return missingVersion(name, capability, versions);
    if (others.some(({ sourceHash }) => sourceHash !== version.sourceHash))
      return ambiguous(name, capability, [version, ...others]);
    return succeed({ capability, version, versions, aliases: await capabilities.aliases(capability.id) });
  }

  const example: Library["example"] = ({ capabilityId, version }) =>
    capabilities.example(capabilityId, version);

  return { list, listCurrent, find, describe, example, names };
}

function isSameScope(a: Scope, b: Scope): boolean {
  return a.org === b.org && a.project === b.project;
}

/**
 * The versions that a reference may mean, the newest first. The hash of a FQDN is the one that was stored for the
 * version; any other beginning of its source's hash counts where it is no version's own. Versions of one source are the
 * same.
 */
function versionsNamed(
  reference: NameReference,
  capability: Capability,
  versions: readonly CapabilityVersion[],
): readonly CapabilityVersion[] {
  const isWanted = ({ version }: CapabilityVersion): boolean =>
    reference.version === undefined || version === reference.version;
  if (reference.kind !== "fqdn") {
    const wanted = reference.version ?? capability.currentVersion;
    return versions.filter(({ version }) => version === wanted);
  }
  const exact = versions.filter(({ shortHash }) => shortHash === reference.hash);
  const near = versions.filter(({ sourceHash }) => sourceHash.startsWith(reference.hash));
  return (exact.length > 0 ? exact : near).filter(isWanted);
}

/** A name that is none, with those that were probably meant; what is dangerous is only refused. */
export function noSuchName(error: ToolError, name: string, known: readonly string[]): ToolResult<never> {
  const near = error.code === "TOOL_INVALID_INPUT" ? nearestTools(name, known) : [];
  if (near.length === 0) return { success: false, error };
  const message = `${error.message}${meantTools(name, near)}`;
  return { success: false, error: { ...error, message, nearest: near } };
}

function missing(name: string, known: readonly string[]): ToolResult<never> {
  const near = nearestTools(name, known);
  const hint = known.length === 0 ? "The library is empty." : "list_library shows what there is.";
  return fail(
    "TOOL_NOT_FOUND",
    `Nothing in the library is called ${JSON.stringify(name)}.${meantTools(name, near)}`,
    {
      nearest: near,
      hint,
    },
  );
}

function missingVersion(
  name: string,
  capability: Capability,
  versions: readonly CapabilityVersion[],
): ToolResult<never> {
  const known = versions.map((version) => version.version).join(", ");
  return fail("TOOL_NOT_FOUND", `${JSON.stringify(name)} has no such version; there are ${known}.`, {
    nearest: versions.slice(0, VERSIONS_NEAR_MAX).map((version) => fqdnIn(capability, version)),
    hint: `${displayNameOf(capability)} alone means the current version, ${capability.currentVersion}.`,
  });
}

/** More would not be read. */
const VERSIONS_NEAR_MAX = 5;

/** Which code runs is not guessed. */
function ambiguous(
  name: string,
  capability: Capability,
  versions: readonly CapabilityVersion[],
): ToolResult<never> {
  const names = versions.map((version) => fqdnIn(capability, version));
  return fail("TOOL_INVALID_INPUT", `${JSON.stringify(name)} may mean ${names.join(" or ")}.`, {
    reason: "ambiguous",
    field: "name",
    nearest: names,
    hint: "Give one of these names in full.",
  });
}

function fqdnIn(capability: Capability, { shortHash }: CapabilityVersion): string {
  return fqdnOf(capability.scope, capability, shortHash);
}

/** Text beyond this is not compared: a pattern is a name or a word of a description. */
const PATTERN_LENGTH_MAX = 200;

/**
 * Tells whether one of the texts matches: a glob (`math:*`, `*sum?`) must match whole, anything else is a substring.
 */
export function createMatcher(pattern: string | null): (texts: readonly string[]) => boolean {
  if (pattern === null || pattern === "") return () => true;
  const wanted = pattern.slice(0, PATTERN_LENGTH_MAX).toLowerCase();
  const matches = /[*?]/.test(wanted)
    ? (text: string) => matchesGlob(text, wanted)
    : (text: string) => text.includes(wanted);
  return (texts) => texts.some((text) => matches(text.toLowerCase()));
}

/** Linear in the text for each star, never exponential: it goes back only to the last star. */
function matchesGlob(text: string, glob: string): boolean {
  let textAt = 0;
  let globAt = 0;
  let starAt = -1;
  let starTextAt = 0;
  while (textAt < text.length) {
    if (globAt < glob.length && glob[globAt] === "*") {
      starAt = globAt++;
      starTextAt = textAt;
    } else if (globAt < glob.length && (glob[globAt] === "?" || glob[globAt] === text[textAt])) {
      globAt++;
      textAt++;
    } else if (starAt >= 0) {
      globAt = starAt + 1;
      textAt = ++starTextAt;
    } else return false;
  }
  while (glob[globAt] === "*") globAt++;
  return globAt === glob.length;
}
