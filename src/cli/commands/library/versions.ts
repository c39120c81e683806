import type { GlobalOptions } from "../../global-options.ts";
import type { App } from "../../../app/app.ts";
import { displayNameOf } from "../../../core/names.ts";
import { succeed, type ToolResult } from "../../../core/result.ts";
import { compareVersions, rollBackItem } from "../../../operator/library.ts";
import { useApp } from "../../app-call.ts";
import { printTable, cyan, green, print, red, note } from "../../terminal/terminal.ts";
import { defineCommand } from "../../command.ts";
import { escapeUnprintable } from "../../../text/printable.ts";
import { EXIT } from "../../terminal/exit-code.ts";
import type { DryRunOptions } from "../../dry-run.ts";

interface History {
  readonly name: string;
  readonly current_version: number;
  /** Newest first. */
  readonly versions: readonly {
    readonly version: number;
    readonly hash: string;
    readonly created_at: string;
    readonly author: string;
    /** The run that it was kept from. */
    readonly run_id: string | null;
  }[];
}

export const historyCommand = defineCommand({
  name: "history",
  group: "library",
  summary: "Show the versions of a library item, newest first",
  arguments: [{ words: "<name>", about: "its name", completes: ["kept"] }],
  examples: ["repertoire history math:sum", "repertoire history math:sum --json | jq '.versions[0].hash'"],
  run: (options: GlobalOptions, name: string) =>
    useApp(options, (app) => historyOf(app, name), { show: showHistory }),
});

async function historyOf(app: App, name: string): Promise<ToolResult<History>> {
  const found = await app.library.describe(name);
  if (!found.success) return found;
  const { capability, versions } = found.data;
  return succeed({
    name: displayNameOf(capability),
    current_version: capability.currentVersion,
    versions: versions.map((item) => ({
      version: item.version,
      hash: item.shortHash,
      created_at: new Date(item.createdAt).toISOString(),
      author: item.author,
      run_id: item.fromRunId,
    })),
  });
}

function showHistory({ current_version: current, versions }: History): void {
  const rows = versions.map((item) => [
    `${item.version === current ? "*" : " "} v${item.version}`,
    item.hash,
    item.created_at,
    item.author,
    item.run_id ?? "no run",
  ]);
  printTable([["  VERSION", "HASH", "DATE", "AUTHOR", "RUN"], ...rows]);
}

interface Difference {
  readonly equal: boolean;
  /** A unified diff; empty where both have the same source. */
  readonly source: string;
  readonly schemas: readonly string[];
}

export const diffCommand = defineCommand({
  name: "diff",
  group: "library",
  summary: "Compare two versions: the source, then the input and output schemas",
  arguments: [
    { words: "<before>", about: "name@1", completes: ["kept"] },
    { words: "<after>", about: "name@2", completes: ["kept"] },
  ],
  help: `The exit code is 0 if they are equal and 1 if they differ.`,
  examples: ["repertoire diff math:sum@1 math:sum@2", "repertoire diff math:sum@1 math:sum"],
  run: (options: GlobalOptions, before: string, after: string) =>
    useApp(options, (app) => compareVersions(app, before, after), {
      show: showDifference,
      exitCodeOf: ({ equal }) => (equal ? EXIT.ok : EXIT.failed),
    }),
});

function showDifference({ source, schemas }: Difference): void {
  for (const line of source === "" ? [] : source.replace(/\n$/, "").split("\n")) print(paint(line));
  if (source !== "" && schemas.length > 0) print();
  for (const line of schemas) print(escapeUnprintable(line));
}

function paint(line: string): string {
  const text = line.split("\t").map(escapeUnprintable).join("\t");
  if (line.startsWith("@@")) return cyan(text);
  if (line.startsWith("+")) return green(text);
  return line.startsWith("-") ? red(text) : text;
}

export const rollbackCommand = defineCommand({
  name: "rollback",
  group: "library",
  summary: "Make an older version the current one again, as a new version; no version is lost",
  arguments: [{ words: "<name@version>", about: "the version to go back to", completes: ["kept"] }],
  dryRun: "copy",
  examples: ["repertoire history math:sum", "repertoire rollback math:sum@1"],
  run: (options: DryRunOptions, name: string) =>
    useApp(options, (app) => rollBackItem(app, name, { principal: undefined }), { show: showRolledBack }),
});

interface RolledBack {
  readonly tool: string;
  readonly name: string;
  readonly version: number;
  readonly like: string;
}

function showRolledBack({ name, version, like }: RolledBack): void {
  note(`${green("rolled back")} ${name} is at version ${version}, a copy of ${escapeUnprintable(like)}`);
}
