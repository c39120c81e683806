import type { Json, JsonObject } from "../../../core/json.ts";
import { escapeUnprintable } from "../../../text/printable.ts";
import { VISIBILITIES, type Visibility } from "../../../core/store.ts";
import { aliasItem, deleteItem, renameItem } from "../../../operator/library.ts";
import { callMetaTool, useApp } from "../../app-call.ts";
import type { DryRunOptions } from "../../dry-run.ts";
import { dim, green, note, print, yellow } from "../../terminal/terminal.ts";
import { defineCommand } from "../../command.ts";

/** The person at this machine. */
const SELF = { principal: undefined };

interface SaveOptions extends DryRunOptions {
  readonly description: string;
  readonly tag: readonly string[];
  readonly visibility?: Visibility;
  readonly overwrite?: boolean;
}

/** What `save_to_library` answers. */
interface Saved {
  readonly tool: string;
  readonly version: number;
  readonly possible_inputs?: readonly {
    readonly parameter: string;
    readonly tool: string;
    readonly value: Json;
    readonly line: number;
    readonly column: number;
  }[];
  readonly warnings?: readonly string[];
}

export const saveCommand = defineCommand({
  name: "save",
  group: "library",
  summary: "Save a draft to the library under a name: it becomes a tool for every client",
  arguments: [
    { words: "<draft>", about: "the name of the draft, as the run printed it", completes: ["drafts"] },
    { words: "<name>", about: "namespace:action, or a bare name", completes: ["drafts"] },
  ],
  options: [
    { flags: "--description <text>", about: "what it does and when to use it", isRequired: true },
    { flags: "--tag <tag>", about: "a tag to find it by; repeatable", parse: collect, default: [] },
    {
      flags: "--visibility <who>",
      about: "who it is meant for; a label that nothing enforces yet",
      choices: VISIBILITIES,
    },
    { flags: "--overwrite", about: "Add a new version if the name exists; older versions are kept" },
  ],
  dryRun: "copy",
  examples: [
    'repertoire save stale-issues-1f0c2d3e issues:stale --description "Open issues without activity."',
    'repertoire save stale-issues-9a8b7c6d issues:stale --description "…" --tag triage --overwrite',
  ],
  run: (options: SaveOptions, draft: string, name: string) =>
    callMetaTool<Saved>(options, "save_to_library", saveRequestOf(draft, name, options), showSaved),
});

function collect(value: string, all: readonly string[]): string[] {
  return [...all, value];
}

/** Tags and visibility that are not given stay as they were. */
function saveRequestOf(draft: string, name: string, options: SaveOptions): JsonObject {
  return {
    draft_name: draft,
    final_name: name,
    description: options.description,
    ...(options.tag.length > 0 && { tags: [...options.tag] }),
    ...(options.visibility !== undefined && { visibility: options.visibility }),
    ...(options.overwrite === true && { overwrite: true }),
  };
}

function showSaved({ tool, version, possible_inputs: offers = [], warnings = [] }: Saved): void {
  print(tool);
  note(`${green("saved")} version ${version}`);
  for (const { parameter, tool: used, value, line, column } of offers) {
    const text = `${parameter} = ${JSON.stringify(value)} of ${used} (line ${line}, column ${column})`;
    note(dim(`could be an input: ${escapeUnprintable(text)}`));
  }
  for (const warning of warnings) note(`${yellow("warning")} ${escapeUnprintable(warning)}`);
}

export const renameCommand = defineCommand({
  name: "rename",
  group: "library",
  summary: "Rename a library item; the old name stays as an alias",
  arguments: [
    { words: "<name>", about: "its name", completes: ["kept"] },
    {
      words: "<new>",
      about: "its new name: namespace:action, or a bare name",
      completes: ["kept"],
    },
  ],
  dryRun: "copy",
  examples: ["repertoire rename math:sum math:add"],
  run: (options: DryRunOptions, name: string, to: string) =>
    useApp(options, (app) => renameItem(app, name, to, SELF), { show: showRenamed }),
});

function showRenamed({ name, tool, aliases }: ItemNames): void {
  const others = aliases.length === 0 ? "" : `; aliases: ${aliases.join(", ")}`;
  note(`${green("renamed")} to ${name}, the tool ${tool}${others}`);
}

export const aliasCommand = defineCommand({
  name: "alias",
  group: "library",
  summary: "Add an alias to a library item",
  arguments: [
    { words: "<name>", about: "its name", completes: ["kept"] },
    {
      words: "<other>",
      about: "the alias: namespace:action, or a bare name",
      completes: ["kept"],
    },
  ],
  dryRun: "copy",
  examples: ["repertoire alias math:sum math:plus"],
  run: (options: DryRunOptions, name: string, other: string) =>
    useApp(options, (app) => aliasItem(app, name, other, SELF), { show: showAliased }),
});

function showAliased({ name, aliases }: ItemNames): void {
  // An item's own name is no alias, and asking for it changes nothing.
  const others = aliases.length === 0 ? "has no other names" : `has the aliases ${aliases.join(", ")}`;
  note(`${green("added")} ${name} ${others}`);
}

/** What an item of the library is called. */
interface ItemNames {
  readonly name: string;
  readonly tool: string;
  readonly aliases: readonly string[];
}

interface Deleted {
  readonly deleted: string;
  /** How many versions stay in the store. */
  readonly version_count: number;
}

export const deleteCommand = defineCommand({
  name: "delete",
  group: "library",
  summary: "Delete a library item; runs that use one of its versions still find it",
  arguments: [{ words: "<name>", about: "its name", completes: ["kept"] }],
  dryRun: "copy",
  help: `The item is marked as deleted, and its names can be used again. There is no confirmation. To be able to restore the
item, export it first.`,
  examples: ["repertoire export backup math:sum", "repertoire delete math:sum", "repertoire import backup"],
  run: (options: DryRunOptions, name: string) =>
    useApp(options, (app) => deleteItem(app, name, SELF), { show: showDeleted }),
});

function showDeleted({ deleted, version_count: count }: Deleted): void {
  const stay = count === 1 ? "Its version stays" : `Its ${count} versions stay`;
  note(
    `${green("deleted")} ${deleted}. ${stay} in the store for runs that use them; its names can be used again.`,
  );
}
