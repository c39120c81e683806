/** The tasks of a domain: what a good agent calls in each, in order. */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export interface Action {
  readonly tool: string;
  readonly args: Readonly<Record<string, string | readonly string[]>>;
}

export interface RetailTask {
  readonly id: string;
  readonly actions: readonly Action[];
  /** What the user must be told, word for word. */
  readonly told: readonly string[];
}

interface TaskRecord {
  readonly id: string;
  readonly evaluation_criteria: {
    readonly actions: readonly { readonly name: string; readonly arguments: Action["args"] }[] | null;
    readonly communicate_info?: readonly string[] | null;
  };
}

/** `db.json` and `tasks.json` of τ²-bench's retail domain, or of another shop in the same form. */
export function dataFolder(): string {
  const asked = process.env["REPERTOIRE_BENCH_RETAIL"];
  return asked === undefined || asked === ""
    ? resolve(import.meta.dirname, "../../../shared/data/tau2-retail")
    : asked;
}

/** Undefined where they are not to be had. */
export function loadTasks(folder: string): RetailTask[] | undefined {
  if (!["db.json", "tasks.json"].every((name) => existsSync(join(folder, name)))) return undefined;
  const records = JSON.parse(readFileSync(join(folder, "tasks.json"), "utf8")) as TaskRecord[];
  return records.map(({ id, evaluation_criteria: { actions, communicate_info: told } }) => ({
    id,
    actions: (actions ?? []).map(({ name, arguments: args }) => ({ tool: name, args })),
    told: told ?? [],
  }));
}
