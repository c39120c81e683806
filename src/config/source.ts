import { statSync, watch, type FSWatcher } from "node:fs";
import { basename, dirname } from "node:path";
import type { Config } from "./config.ts";
import { readConfigText, type ConfigText, trustedTexts, type LoadOptions } from "./files/config-text.ts";
import { parseConfigText, type LoadResult } from "./load.ts";
import type { ConfigProblem } from "./problem.ts";
import { hashText } from "../core/json.ts";
import { Mutex } from "../timing/mutex.ts";
import { inputIdsIn, mentionsInputs, type ReadInput } from "./values/inputs.ts";
import { locateConfig } from "./locate.ts";
import { trustFileOf } from "./trust.ts";

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
  const configWatch = isWatched ? watchConfig({ ...watching, since }, take) : STILL;
  const source: ConfigSource = {
    current: () => config,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    check: () => configWatch.check(),
    close() {
      listeners.clear();
      configWatch.close();
    },
  };
  return { ok: true, source, warnings: first.warnings };
}

/** Editors write a new file and rename it within some ten ms. */
const SETTLE_MS = 100;
const POLL_MS = 2000;

export interface ConfigWatch {
  /** Looks now. */
  check(): Promise<void>;
  close(): void;
}

export interface WatchOptions extends LoadOptions {
  /** The fingerprint of what the caller has; without it, what is on disk now. */
  readonly since?: string;
  readonly settleMs?: number;
  readonly pollMs?: number;
  /** Where the values of inputs are kept, and how to read them again: `readInput` then has them. */
  readonly inputs?: InputsFile;
}

interface InputsFile {
  readonly path: string;
  load(): Promise<void>;
}

/** Equal for equal files in equal trust with equal values of inputs; none of these can be read from it. */
function fingerprintOf(source: ConfigText, readInput: ReadInput | undefined): string {
  const ids = readInput === undefined ? [] : trustedTexts(source).flatMap(inputIdsIn);
  if (readInput === undefined || ids.length === 0) return source.fingerprint;
  const values = ids.map((id) => readInput(id) ?? null);
  return JSON.stringify([source.fingerprint, hashText(JSON.stringify(values))]);
}

/**
 * Calls back with each new state of the config, good or broken, and only when something has changed: the file that
 * counts, its trust, or the value of an input that it uses was edited, replaced by a rename, created, removed, or taken
 * over by a file with precedence. The folders are watched; since that misses changes on some file systems, and cannot
 * begin before a folder exists, a slow poll looks as well. What is seen is settled for a moment, because editors write
 * in steps.
 *
 * Nothing here keeps the process alive, and nothing is left after `close`.
 */
export function watchConfig(options: WatchOptions, onChange: (result: LoadResult) => void): ConfigWatch {
  let closed = false;
  let seen = options.since ?? fingerprintOf(readConfigText(options), options.readInput);
  // Unknown at first: values may have changed since the caller read them, and the first poll looks.
  let seenStamp: string | undefined;
  const looks = new Mutex();
  const look = async (): Promise<void> => {
    const source = readConfigText(options);
    const stamp = inputsStamp(options, source);
    if (stamp !== undefined) await loadInputs(options);
    seenStamp = stamp;
    const fingerprint = fingerprintOf(source, options.readInput);
    if (closed || fingerprint === seen) return;
    seen = fingerprint;
    onChange(parseConfigText(source, options));
  };
  // One look after the other: an older one that took longer must not win.
  const check = (): Promise<void> => looks.run(() => (closed ? undefined : look()));
  const hasChanged = (): boolean => {
    const source = readConfigText(options);
    return fingerprintOf(source, options.readInput) !== seen || inputsStamp(options, source) !== seenStamp;
  };
  const settled = createDelay(() => void check(), options.settleMs ?? SETTLE_MS);
  const folders = createFolderWatch(() => filesToWatch(options), settled.start);
  const poll = setInterval(() => {
    folders.attach();
    if (hasChanged()) settled.start();
  }, options.pollMs ?? POLL_MS);
  poll.unref();
  folders.attach();
  return {
    check,
    close() {
      closed = true;
      clearInterval(poll);
      settled.stop();
      folders.close();
    },
  };
}

function filesToWatch(options: WatchOptions): string[] {
  const { candidates, home } = locateConfig(options);
  return [...candidates, trustFileOf(home), ...(options.inputs === undefined ? [] : [options.inputs.path])];
}

/**
 * What the file of the values looks like from outside; undefined where the config uses none, and the file is left
 * alone.
 */
function inputsStamp({ inputs }: WatchOptions, source: ConfigText): string | undefined {
  if (inputs === undefined || !trustedTexts(source).some(mentionsInputs)) return undefined;
  try {
    const { ino, mtimeMs, size } = statSync(inputs.path);
    return `${ino} ${mtimeMs} ${size}`;
  } catch {
    return "none";
  }
}

/** Values that cannot be read now stay what they were, as the config itself does. */
async function loadInputs({ inputs }: WatchOptions): Promise<void> {
  try {
    await inputs?.load();
  } catch {
    // The next change, or the next start, says what is wrong with the file.
  }
}

interface Delay {
  readonly start: () => void;
  readonly stop: () => void;
}

/** Runs once things have been quiet for a while. */
function createDelay(run: () => void, delayMs: number): Delay {
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => clearTimeout(timer);
  const start = (): void => {
    stop();
    timer = setTimeout(run, delayMs);
    timer.unref();
  };
  return { start, stop };
}

interface FolderWatch {
  /** Begins to watch the folders that exist by now. */
  attach(): void;
  close(): void;
}

function createFolderWatch(files: () => readonly string[], onEvent: () => void): FolderWatch {
  const watchers = new Map<string, FSWatcher>();
  const drop = (folder: string): void => {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  };
  const begin = (folder: string, names: ReadonlySet<string>): void => {
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) => {
        if (name === null || names.has(name)) onEvent();
      });
      watcher.on("error", () => drop(folder));
      watchers.set(folder, watcher);
    } catch {
      // The folder is not there yet, or the system has no watches left: the poll still sees changes.
    }
  };
  return {
    attach() {
      for (const [folder, paths] of Map.groupBy(files(), dirname)) {
        if (!watchers.has(folder)) begin(folder, new Set(paths.map((path) => basename(path))));
      }
    },
    close() {
      for (const folder of watchers.keys()) drop(folder);
    },
  };
}
