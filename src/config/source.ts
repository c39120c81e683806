import type { Config } from "./config.ts";
import { readConfigText, type ConfigText } from "./files/config-text.ts";
import { parseConfigText, type LoadResult } from "./load.ts";
import { fingerprintOf, watchConfig, type ConfigWatch, type WatchOptions } from "./watch.ts";
import type { ConfigProblem } from "./problem.ts";

/** The news for subscribers: a new config is in force, or the file is broken and the old one stays. */
export type ConfigEvent =
  | { readonly kind: "changed"; readonly config: Config; readonly warnings: readonly ConfigProblem[] }
  | { readonly kind: "broken"; readonly problems: readonly ConfigProblem[] };

/** The config that is in force: always the last good one. */
export interface ConfigSource {
  current(): Config;
  /** Returns the function that ends the subscription. */
  subscribe(listener: (event: ConfigEvent) => void): () => void;
  /** Looks for a change now. */
  check(): Promise<void>;
  close(): void;
}

export type ConfigSourceCreated =
  | { readonly ok: true; readonly source: ConfigSource; readonly warnings: readonly ConfigProblem[] }
  | Extract<LoadResult, { ok: false }>;

export interface SourceOptions extends WatchOptions {
  /** What was read already. */
  readonly text?: ConfigText;
  /** False for a command, which ends before a change could matter. */
  readonly isWatched?: boolean;
}

const STILL: ConfigWatch = { check: async () => {}, close() {} };

/** Loads the config and keeps it up to date; a config that is broken from the start is the caller's to report. */
export function createConfigSource(options: SourceOptions = {}): ConfigSourceCreated {
  const text = options.text ?? readConfigText(options);
  const first = parseConfigText(text, options);
  if (!first.ok) return first;
  let config = first.config;
  const listeners = new Set<(event: ConfigEvent) => void>();
  const take = (result: LoadResult): void => {
    if (result.ok) config = result.config;
    const event: ConfigEvent = result.ok
      ? { kind: "changed", config: result.config, warnings: result.warnings }
      : { kind: "broken", problems: result.problems };
    for (const listener of listeners) listener(event);
  };
  const { isWatched = true, ...watching } = options;
  const since = fingerprintOf(text, options.readInput);
  const watch = isWatched ? watchConfig({ ...watching, since }, take) : STILL;
  const source: ConfigSource = {
    current: () => config,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    check: () => watch.check(),
    close() {
      listeners.clear();
      watch.close();
    },
  };
  return { ok: true, source, warnings: first.warnings };
}
