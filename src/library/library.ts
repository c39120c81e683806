/**
 * What was kept, read from the store each time: a capability that any process on the same store saved is in the next answer.
 * It takes every spelling that SPEC's names allow and answers a miss with the nearest names.
 */
import {
  BARE_NAMESPACES,
  displayNameOf,
  parseReference,
  toolNameOf,
  type CapabilityName,
  type NameReference,
  type Scope,
} from "../core/names.ts";
import { didYouMean, nearest } from "../core/nearest.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import type { Capability, CapabilityStore, CapabilityVersion } from "../core/store.ts";
import { createMatcher } from "./pattern.ts";

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
  /** Every name that could have been meant, for messages. */
  names(): Promise<string[]>;
}

export function createLibrary(capabilities: CapabilityStore, scope: () => Scope): Library {
  async function list(pattern: string | null): Promise<Capability[]> {
    const matches = createMatcher(pattern);
    const all = await capabilities.list(scope());
    return all
      .filter((item) => matches([displayNameOf(item), toolNameOf(item), item.description, ...item.tags]))
      .sort((a, b) => (displayNameOf(a) < displayNameOf(b) ? -1 : 1));
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
    if (reference.kind === "fqdn") return findByFqdn(reference);
    for (const namespace of BARE_NAMESPACES) {
      const found = await capabilities.find(scope(), { namespace, action: reference.action });
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** A FQDN names one source: the hash must be that of a version, or the name has moved on to something else. */
  async function findByFqdn(
    reference: Extract<NameReference, { kind: "fqdn" }>,
  ): Promise<Capability | undefined> {
    const { org, project } = scope();
    if (reference.scope.org !== org || reference.scope.project !== project) return undefined;
    const found = await capabilities.find(scope(), reference);
    if (found === undefined) return undefined;
    const versions = await capabilities.versions(found.id);
    return versions.some((version) => version.sourceHash.startsWith(reference.hash)) ? found : undefined;
  }

  async function describe(name: string): Promise<ToolResult<CapabilityDetails>> {
    const reference = parseReference(name);
    if (!reference.success) return reference;
    const capability = await find(reference.data);
    if (capability === undefined) return missing(name, await names());
    const versions = await capabilities.versions(capability.id);
    const version = versions.find(chooseVersion(reference.data, capability));
    if (version === undefined) return missingVersion(name, versions);
    return succeed({ capability, version, versions, aliases: await capabilities.aliases(capability.id) });
  }

  return { list, listCurrent, find, describe, names };
}

function chooseVersion(
  reference: NameReference,
  capability: Capability,
): (version: CapabilityVersion) => boolean {
  if (reference.kind === "fqdn") return (version) => version.sourceHash.startsWith(reference.hash);
  const wanted = reference.version ?? capability.currentVersion;
  return (version) => version.version === wanted;
}

function missing(name: string, known: readonly string[]): ToolResult<never> {
  const near = nearest(name, known);
  const hint = known.length === 0 ? "The library is empty." : "list_library shows what there is.";
  return fail(
    "TOOL_NOT_FOUND",
    `Nothing in the library is called ${JSON.stringify(name)}.${didYouMean(near)}`,
    {
      nearest: near,
      hint,
    },
  );
}

function missingVersion(name: string, versions: readonly CapabilityVersion[]): ToolResult<never> {
  const known = versions.map((version) => version.version).join(", ");
  return fail("TOOL_NOT_FOUND", `${JSON.stringify(name)} has no such version; there are ${known}.`);
}
