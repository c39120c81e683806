/**
 * Renames, aliases, deletes, rolls back, exports, imports and tests capabilities. A version is never changed or
 * deleted.
 */
import type { ToolError } from "../core/errors.ts";
import { canonicalJson, DATA_LIMITS } from "../core/json.ts";
import {
  capabilityNameOf,
  displayNameOf,
  parseReference,
  parseToolName,
  type CapabilityName,
  type Scope,
} from "../core/names.ts";
import type { Redactors } from "../text/redactors.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import type {
  Capability,
  CapabilityVersion,
  CurrentCapability,
  SaveOutcome,
  Store,
  ToolUse,
} from "../core/store.ts";
import type { CallContext } from "../core/tool.ts";
import type { Runs } from "../runs/runs.ts";
import { testExample, type TestReport } from "./example-test.ts";
import { PERSON, recordSave, type RecordChange } from "./save-capability.ts";
import type { CapabilityDetails, Library } from "./library.ts";
import type { PortableCapability } from "./portable/portable.ts";

export interface LibraryEditorDeps {
  readonly store: Pick<Store, "capabilities" | "runs">;
  readonly library: Library;
  readonly runs: Runs;
  readonly scope: () => Scope;
  readonly author: () => string;
  readonly redactors: Pick<Redactors, "current" | "knowing">;
  /** The ids of all configured servers: a namespace of that name could never be called. */
  readonly servers: () => readonly string[];
  /** Whether the config hides tools that only what was kept may use. */
  readonly hidesTools: () => boolean;
  readonly record: RecordChange;
}

export interface Imported {
  readonly created: readonly string[];
  readonly updated: readonly string[];
  readonly unchanged: readonly string[];
  /** Aliases that something else has already. */
  readonly taken: readonly string[];
}

/** Who changes something; without a principal, the person at this machine. */
type Editor = Pick<CallContext, "principal">;

export interface LibraryEditor {
  /** The old name stays as an alias. */
  rename(name: string, to: string, by?: Editor): Promise<ToolResult<Capability>>;
  alias(name: string, other: string, by?: Editor): Promise<ToolResult<Capability>>;
  /** Marks it as deleted; its versions stay for the runs that use them. */
  remove(name: string, by?: Editor): Promise<ToolResult<Capability>>;
  /** Makes a new version that is like an older one, `name@2`. */
  rollback(
    name: string,
    by?: Editor,
  ): Promise<ToolResult<{ readonly capability: Capability; readonly version: CapabilityVersion }>>;
  /** What `export` writes of one item. */
  portableOf(item: CurrentCapability): Promise<PortableCapability>;
  /** The same of all, or of those that match. */
  exportItems(pattern: string | null): Promise<PortableCapability[]>;
  /** What `import` keeps: new ones are created, changed ones get a new version. */
  importItems(items: readonly PortableCapability[], context: CallContext): Promise<ToolResult<Imported>>;
  /** Replays the examples, of all or of one, offline. */
  test(name: string | null, context: CallContext): Promise<ToolResult<TestReport[]>>;
}

export function createLibraryEditor(deps: LibraryEditorDeps): LibraryEditor {
  const { library } = deps;
  const { capabilities } = deps.store;

  async function rename(name: string, to: string, by: Editor = PERSON): Promise<ToolResult<Capability>> {
    const found = await library.describe(name);
    if (!found.success) return found;
    const wanted = newName(to, found.data.capability, deps.servers());
    if (!wanted.success) return wanted;
    const outcome = await capabilities.rename(found.data.capability.id, wanted.data);
    if (outcome.kind === "renamed") {
      deps.record(by, "capability.renamed", displayNameOf(outcome.capability), { from: name });
      return succeed(outcome.capability);
    }
    return outcome.kind === "taken" ? taken(wanted.data) : gone(name);
  }

  async function alias(name: string, other: string, by: Editor = PERSON): Promise<ToolResult<Capability>> {
    const found = await library.describe(name);
    if (!found.success) return found;
    const wanted = newName(other, found.data.capability, deps.servers());
    if (!wanted.success) return wanted;
    const outcome = await capabilities.alias(found.data.capability.id, wanted.data);
    if (outcome.kind === "added") {
      deps.record(by, "capability.aliased", displayNameOf(found.data.capability), {
        alias: displayNameOf(wanted.data),
      });
      return succeed(found.data.capability);
    }
    return outcome.kind === "taken" ? taken(wanted.data) : gone(name);
  }

  async function remove(name: string, by: Editor = PERSON): Promise<ToolResult<Capability>> {
    const found = await library.describe(name);
    if (!found.success) return found;
    const isRemoved = await capabilities.remove(found.data.capability.id);
    if (isRemoved) deps.record(by, "capability.removed", displayNameOf(found.data.capability), {});
    return isRemoved ? succeed(found.data.capability) : gone(name);
  }

  /** A file says which tools it uses, and no ids of this library: the sources are those that the names have here. */
  async function bind(use: ToolUse): Promise<ToolUse> {
    const parsed = parseToolName(use.tool);
    if (use.source !== undefined || (parsed.kind !== "upstream" && parsed.kind !== "capability")) return use;
    if (parsed.kind === "upstream") return { ...use, source: { kind: "server", id: parsed.server } };
    const found = await capabilities.find(deps.scope(), parsed);
    return { ...use, source: { kind: "capability", id: found?.id ?? null } };
  }

  async function saveItem(
    item: PortableCapability,
    overwrite: boolean,
    by: Editor = PERSON,
  ): Promise<SaveOutcome> {
    const { namespace, action, kind, description, tags, visibility, source, inputSchema, outputSchema } =
      item;
    const outcome = await capabilities.save({
      scope: deps.scope(),
      namespace,
      action,
      kind,
      description,
      tags,
      visibility,
      source,
      inputSchema,
      outputSchema,
      toolsUsed: await Promise.all(item.toolsUsed.map(bind)),
      author: item.author,
      example: item.example,
      overwrite,
    });
    if (outcome.kind === "saved") recordSave(deps.record, by, outcome);
    return outcome;
  }

  async function rollback(name: string, by: Editor = PERSON): ReturnType<LibraryEditor["rollback"]> {
    const found = await library.describe(name);
    if (!found.success) return found;
    const { capability, version } = found.data;
    if (version.version === capability.currentVersion) {
      return fail(
        "TOOL_INVALID_INPUT",
        `${displayNameOf(capability)}@${version.version} is the current version.`,
        {
          hint:
            version.version === 1
              ? "There is no other version yet."
              : `Name the version to go back to: ${displayNameOf(capability)}@${version.version - 1}.`,
        },
      );
    }
    const example = (await capabilities.example(capability.id, version.version)) ?? null;
    const { toolsUsed } = version;
    const item = {
      ...portableOf(found.data, example),
      toolsUsed,
      author: by.principal?.name ?? deps.author(),
    };
    const outcome = await saveItem(item, true, by);
    return outcome.kind === "saved" ? succeed(outcome) : taken(capability);
  }

  async function wholeOf({ capability, version }: CurrentCapability): Promise<PortableCapability> {
    const example = (await capabilities.example(capability.id, version.version)) ?? null;
    const aliases = await capabilities.aliases(capability.id);
    return portableOf({ capability, version, aliases, versions: [] }, example);
  }

  async function exportItems(pattern: string | null): Promise<PortableCapability[]> {
    return Promise.all((await library.listCurrent(pattern)).map(wholeOf));
  }

  /** Aliases are only added: one that the file does not have was given here, and stays. */
  async function addAliases(
    item: PortableCapability,
    known: readonly CapabilityName[],
    refused: string[],
  ): Promise<boolean> {
    const missing = item.aliases.filter(
      (wanted) => !known.some((other) => displayNameOf(other) === displayNameOf(wanted)),
    );
    const found = missing.length === 0 ? undefined : await capabilities.find(deps.scope(), item);
    let isAdded = false;
    for (const wanted of found === undefined ? [] : missing) {
      const outcome = await capabilities.alias(found!.id, wanted);
      if (outcome.kind === "added") isAdded = true;
      else refused.push(displayNameOf(wanted));
    }
    return isAdded;
  }

  /**
   * A file is kept like a draft: not if it uses what the config hides. Its servers need not be there yet, so it is not
   * refused for anything else, and where nothing is hidden no server is asked.
   */
  async function checkDenied(
    { kind, source, ...name }: PortableCapability,
    context: CallContext,
  ): Promise<ToolResult<unknown>> {
    const prepared = await (kind === "code"
      ? deps.runs.prepare(source, undefined, context)
      : deps.runs.prepareWorkflow(source, undefined, context));
    if (prepared.success || prepared.error.code !== "SECURITY_ERROR") return succeed(undefined);
    return notAllowed(name, prepared.error);
  }

  async function importItems(
    items: readonly PortableCapability[],
    context: CallContext,
  ): Promise<ToolResult<Imported>> {
    const own = items.find(({ namespace }) => deps.servers().includes(namespace));
    if (own !== undefined) return isServer(own.namespace);
    const before = new Map((await exportItems(null)).map((item) => [displayNameOf(item), item]));
    const isNew = (item: PortableCapability): boolean => {
      const known = before.get(displayNameOf(item));
      return known === undefined || contentOf(known) !== contentOf(item);
    };
    for (const item of deps.hidesTools() ? items.filter(isNew) : []) {
      const checked = await checkDenied(item, context);
      if (!checked.success) return checked;
    }
    const imported = {
      created: [] as string[],
      updated: [] as string[],
      unchanged: [] as string[],
      taken: [] as string[],
    };
    for (const item of items) {
      const name = displayNameOf(item);
      const known = before.get(name);
      const isSame = !isNew(item);
      if (!isSame) await saveItem(item, true);
      const hasNewAlias = await addAliases(item, known?.aliases ?? [], imported.taken);
      if (known === undefined) imported.created.push(name);
      else (isSame && !hasNewAlias ? imported.unchanged : imported.updated).push(name);
    }
    return succeed(imported);
  }

  return {
    rename,
    alias,
    remove,
    rollback,
    portableOf: wholeOf,
    exportItems,
    importItems,
    async test(name, context) {
      if (name === null) {
        const all = await library.listCurrent(null);
        const reports: TestReport[] = [];
        for (const item of all) reports.push(await testExample(deps, item, context));
        return succeed(reports);
      }
      const found = await library.describe(name);
      return found.success ? succeed([await testExample(deps, found.data, context)]) : found;
    },
  };
}

/** Everything that a version is made of, in one text. */
function contentOf(item: PortableCapability): string {
  return canonicalJson({ ...item, aliases: [] }, DATA_LIMITS);
}

function portableOf(
  { capability, version, aliases }: CapabilityDetails,
  example: PortableCapability["example"],
): PortableCapability {
  return {
    namespace: capability.namespace,
    action: capability.action,
    kind: capability.kind,
    description: capability.description,
    tags: capability.tags,
    visibility: capability.visibility,
    author: version.author,
    source: version.source,
    inputSchema: version.inputSchema,
    outputSchema: version.outputSchema,
    toolsUsed: version.toolsUsed.map(portableUse),
    aliases: aliases.map(({ namespace, action }) => ({ namespace, action })),
    example,
  };
}

/** Servers and capabilities are found again by their names. A program's tool looks like a server's, so the file says it. */
function portableUse(whole: ToolUse): ToolUse {
  const { source, ...use } = whole;
  return source?.kind === "program" ? whole : use;
}

function newName(text: string, { kind }: Capability, servers: readonly string[]): ToolResult<CapabilityName> {
  const reference = parseReference(text);
  if (!reference.success) return reference;
  if (reference.data.kind === "fqdn" || reference.data.version !== undefined) {
    return fail("TOOL_INVALID_INPUT", "A new name has neither a hash nor a version: give namespace:action.");
  }
  const name = capabilityNameOf(reference.data, kind);
  return servers.includes(name.namespace) ? isServer(name.namespace) : succeed(name);
}

function isServer(namespace: string): ToolResult<never> {
  const message = `The namespace ${namespace} is the id of a server; its tools would hide yours.`;
  return fail("TOOL_INVALID_INPUT", message, { hint: "Choose another namespace." });
}

function notAllowed(name: CapabilityName, { message, hint }: ToolError): ToolResult<never> {
  return fail("SECURITY_ERROR", `${displayNameOf(name)} uses what may not be used here: ${message}`, {
    hint: `Nothing was imported. Allow the tool in the config, import, and hide it again.${hint === undefined ? "" : ` ${hint}`}`,
  });
}

function taken(name: CapabilityName): ToolResult<never> {
  return fail("TOOL_INVALID_INPUT", `${displayNameOf(name)} is the name of something else already.`, {
    reason: "taken",
  });
}

function gone(name: string): ToolResult<never> {
  return fail("TOOL_NOT_FOUND", `${JSON.stringify(name)} was removed in the meantime.`);
}
