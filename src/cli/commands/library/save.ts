import type { Json, JsonObject } from "../../../core/json.ts";
import { escapeUnprintable } from "../../../text/printable.ts";
import { VISIBILITIES, type Visibility } from "../../../core/store.ts";
import { callMetaTool } from "../../app-call.ts";
import type { DryRunOptions } from "../../dry-run.ts";
import { dim, green, note, print, yellow } from "../../terminal/terminal.ts";
import { defineCommand } from "../../command.ts";

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
    callMetaTool<Saved>(options, "save_to_library", requestOf(draft, name, options), show),
});

function collect(value: string, all: readonly string[]): string[] {
  return [...all, value];
}

/** Tags and visibility that are not given stay as they were. */
function requestOf(draft: string, name: string, options: SaveOptions): JsonObject {
  return {
    draft_name: draft,
    final_name: name,
    description: options.description,
    ...(options.tag.length > 0 && { tags: [...options.tag] }),
    ...(options.visibility !== undefined && { visibility: options.visibility }),
    ...(options.overwrite === true && { overwrite: true }),
  };
}

function show({ tool, version, possible_inputs: offers = [], warnings = [] }: Saved): void {
  print(tool);
  note(`${green("saved")} version ${version}`);
  for (const { parameter, tool: used, value, line, column } of offers) {
    const text = `${parameter} = ${JSON.stringify(value)} of ${used} (line ${line}, column ${column})`;
    note(dim(`could be an input: ${escapeUnprintable(text)}`));
  }
  for (const warning of warnings) note(`${yellow("warning")} ${escapeUnprintable(warning)}`);
}
