/**
 * Notices when the file that counts, or its trust, has changed: edited, replaced by a rename, created, removed, or taken
 * over by a file with precedence. The folders are watched; since that misses changes on some file systems, and cannot begin
 * before a folder exists, a slow poll looks as well. What is seen is settled for a moment, because editors write in steps.
 *
 * Nothing here keeps the process alive, and nothing is left after `close`.
 */
import { watch, type FSWatcher } from "node:fs";
import { basename, dirname } from "node:path";
import { readConfigText, type LoadOptions } from "./config-text.ts";
import { parseConfigText, type LoadResult } from "./load.ts";
import { locateConfig } from "./locate.ts";
import { trustFileOf } from "./trust.ts";

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
}

/** Calls back with each new state of the config, good or broken, and only when something has changed. */
export function watchConfig(options: WatchOptions, onChange: (result: LoadResult) => void): ConfigWatch {
  let closed = false;
  let seen = options.since ?? readConfigText(options).fingerprint;
  const check = (): void => {
    if (closed) return;
    const source = readConfigText(options);
    if (source.fingerprint === seen) return;
    seen = source.fingerprint;
    onChange(parseConfigText(source, options.env ?? process.env));
  };
  const settled = createDelay(check, options.settleMs ?? SETTLE_MS);
  const folders = createFolderWatch(() => filesToWatch(options), settled.start);
  const poll = setInterval(() => {
    folders.attach();
    if (readConfigText(options).fingerprint !== seen) settled.start();
  }, options.pollMs ?? POLL_MS);
  poll.unref();
  folders.attach();
  return {
    // A promise, so that a caller is ready for a check that reads without blocking.
    check: async () => check(),
    close() {
      closed = true;
      clearInterval(poll);
      settled.stop();
      folders.close();
    },
  };
}

function filesToWatch(options: LoadOptions): string[] {
  const { candidates, home } = locateConfig(options);
  return [...candidates, trustFileOf(home)];
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
      // The folder is not there yet, or the system has no watches left: the poll sees changes all the same.
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
