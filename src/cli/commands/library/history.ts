import type { GlobalOptions } from "../../global-options.ts";
import type { App } from "../../../app/app.ts";
import { displayNameOf } from "../../../core/names.ts";
import { succeed, type ToolResult } from "../../../core/result.ts";
import { useApp } from "../../app-call.ts";
import { printTable } from "../../terminal/terminal.ts";
import { defineCommand } from "../../command.ts";

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
  run: (options: GlobalOptions, name: string) => useApp(options, (app) => historyOf(app, name), { show }),
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

function show({ current_version: current, versions }: History): void {
  const rows = versions.map((item) => [
    `${item.version === current ? "*" : " "} v${item.version}`,
    item.hash,
    item.created_at,
    item.author,
    item.run_id ?? "no run",
  ]);
  printTable([["  VERSION", "HASH", "DATE", "AUTHOR", "RUN"], ...rows]);
}
