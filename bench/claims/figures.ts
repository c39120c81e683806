/** What claims read of the figures of each bench: only these fields, and all of them may be missing in a run of some parts. */
import type { Figures } from "../figures.ts";
import type { HttpSummaries } from "../http-table.ts";
import type { BenchResult } from "../result-file.ts";

export interface ClaimedFigures {
  readonly bench: {
    readonly tokens?: {
      readonly servers: readonly string[];
      readonly toolCount: number;
      readonly toolTokens: number;
      readonly leanTokens: number;
      readonly searchTokens: number;
    };
    readonly startup?: Figures;
    readonly relay?: Readonly<Record<string, Figures>>;
    readonly journal?: {
      readonly resume: { readonly steps: number; readonly firstMs: number; readonly resumedMs: number };
    };
    readonly listing?: { readonly start: Figures };
  };
  readonly http: {
    readonly calls?: { readonly oneByOne: HttpSummaries };
    readonly clients?: Readonly<Record<string, HttpSummaries>>;
    readonly memory?: { readonly idleMb: number; readonly afterCallsMb?: Readonly<Record<string, number>> };
  };
  readonly search: {
    readonly cold?: readonly {
      readonly system: string;
      readonly set: string;
      readonly toolCount: number;
      readonly queryCount: number;
      readonly quality: { readonly recall5: number };
    }[];
  };
  readonly sandbox: {
    readonly hostile?: { readonly programs: number; readonly contained: number };
    readonly speed?: Readonly<Record<string, Readonly<Record<string, number>>>>;
  };
  readonly tasks: {
    readonly rows?: readonly {
      readonly mode: string;
      readonly size: number;
      readonly tasks: number;
      readonly context: number;
      readonly contextRatio?: number;
      readonly dearer?: number;
    }[];
  };
  readonly retail: {
    readonly actions?: number;
    readonly kills?: {
      readonly actions: number;
      readonly wholeActions: number;
      readonly repeated: number;
      readonly lost: number;
    };
  };
}

export type BenchName = keyof ClaimedFigures;

/** The script that measures each. */
export const SCRIPTS: Readonly<Record<BenchName, string>> = {
  bench: "bench",
  http: "bench:http",
  search: "bench:search",
  sandbox: "bench:sandbox",
  tasks: "bench:tasks",
  retail: "bench:retail",
};

/** Those that were measured. */
export type Results = ReadonlyMap<BenchName, BenchResult>;
