/**
 * `repertoire doctor --fix`: repairs what has one safe repair. Modes and left-over files are put right at once; what
 * changes a config is shown as a diff and asked for. Each repair says how to undo it; of a config that is changed a
 * copy is kept first. The database is never touched.
 */
import { chmodSync, lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { examineLive } from "../../app/app.ts";
import { findPlainSecrets, withInputs } from "../../clients/import/plain-secrets.ts";
import { correctSlips } from "../../config/files/config-slips.ts";
import { readConfigText } from "../../config/files/config-text.ts";
import { parseDocument } from "../../config/files/document.ts";
import { editText, writeConfig, type ConfigEdit } from "../../config/files/edit.ts";
import type { KeyPath } from "../../config/problem.ts";
import { isJsonObject } from "../../core/json.ts";
import { openInputs } from "../../secrets/inputs.ts";
import { shapeOfConfig } from "../../config/files/config-shape.ts";
import { shellWord } from "./check.ts";
import { diffFile } from "../terminal/file-diff.ts";
import type { GlobalOptions } from "../global-options.ts";
import { listEntries } from "../../config/entries/server-check.ts";

export interface Fix {
  /** What is done, in a sentence. */
  readonly what: string;
  /** The command that takes it back; absent where nothing is lost. */
  readonly undo?: string;
  /** What a person has to agree to; absent for what is done without a question. */
  readonly diff?: string;
  apply(): void | Promise<void>;
}

/** What holds secrets or runs in the home; others may not look into it. */
const PRIVATE_NAMES = new Set([
  "repertoire.db",
  "repertoire.db-wal",
  "repertoire.db-shm",
  "tokens.json",
  "secrets.json",
  "trusted.json",
  "backups",
  "drafts",
  "live",
  "locks",
]);

export function planFixes(options: GlobalOptions): Fix[] {
  const { location, files } = readConfigText({ configPath: options.config, home: options.home });
  const { home } = location;
  return [
    ...planModes(home),
    ...planLeftOvers(home),
    ...files.flatMap(({ origin, text, trusted }) =>
      origin.path === undefined || text === undefined || !trusted ? [] : planConfig(origin.path, text, home),
    ),
  ];
}

function planModes(home: string): Fix[] {
  if (process.platform === "win32") return [];
  const inside = namesIn(home).filter((name) => PRIVATE_NAMES.has(name));
  return [home, ...inside.map((name) => join(home, name))].flatMap((path) => {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    // A link leads to a place of the user's own choice, and what is another user's is not ours to change.
    if (stat === undefined || stat.isSymbolicLink() || stat.uid !== process.getuid?.()) return [];
    const mode = stat.mode & 0o777;
    if ((mode & 0o077) === 0) return [];
    const wanted = stat.isDirectory() ? 0o700 : 0o600;
    return [
      {
        what: `only you can read ${path} now (it was ${mode.toString(8)})`,
        undo: `chmod ${mode.toString(8)} ${shellWord(path)}`,
        apply: () => chmodSync(path, wanted),
      },
    ];
  });
}

/** What processes that were killed left behind. */
function planLeftOvers(home: string): Fix[] {
  return examineLive(home).stale.map((file) => ({
    what: `deleted ${file}, which an ended process left behind`,
    apply: () => rmSync(file, { force: true }),
  }));
}

/** Slips and secrets in plain text, as one change of the file that one yes is for. */
function planConfig(path: string, text: string, home: string): Fix[] {
  const corrected = correctSlips(text);
  const inputs = openInputs({ home });
  const moved = movePlainSecrets(corrected?.text ?? text, new Set(inputs.list()));
  const after = moved?.text ?? corrected?.text;
  if (after === undefined) return [];
  const ids = [...(moved?.values.keys() ?? [])];
  const done = [
    ...(corrected?.corrections ?? []),
    ...ids.map((id) => `a secret in plain text is now stored as the input ${id}`),
  ];
  const copy = join(home, "backups", `doctor-${Date.now()}-${basename(path)}`);
  const undo = [
    `cp ${shellWord(copy)} ${shellWord(path)}`,
    ...ids.map((id) => `repertoire input forget ${shellWord(id)} --home ${shellWord(home)}`),
  ];
  return [
    {
      what: `changed ${path}: ${done.join("; ")}`,
      undo: undo.join(" && "),
      diff: diffFile({ path, before: text, after, secrets: shapeOfConfig(text).removed }),
      async apply() {
        mkdirSync(join(home, "backups"), { recursive: true, mode: 0o700 });
        writeFileSync(copy, text, { flag: "wx", mode: 0o600 });
        // The values are kept before the file lets go of them.
        for (const [id, value] of moved?.values ?? []) await inputs.set(id, value);
        writeConfig(path, home, text, after);
      },
    },
  ];
}

/** Secrets in plain text that nothing else refers to become inputs; undefined where there are none. */
function movePlainSecrets(
  text: string,
  taken: ReadonlySet<string>,
): { readonly text: string; readonly values: ReadonlyMap<string, string> } | undefined {
  const parsed = parseDocument(text, "");
  if (!parsed.ok) return undefined;
  const values = new Map<string, string>();
  const edits: ConfigEdit[] = [];
  for (const { key, table, entry } of entriesIn(parsed.document.value)) {
    const secrets = findPlainSecrets(key, entry, new Set([...taken, ...values.keys()]));
    if (secrets.length === 0) continue;
    const { entry: after, values: found } = withInputs(entry, secrets);
    for (const [id, value] of found) values.set(id, value);
    for (const { path } of secrets) edits.push({ path: [table, key, ...path], value: at(after, path) });
  }
  return edits.length === 0 ? undefined : { text: editText(text, edits), values };
}

function entriesIn(root: unknown) {
  return listEntries(root).flatMap(({ key, table }) => {
    const entry = at(root, [table, key]);
    return isJsonObject(entry) ? [{ key, table, entry }] : [];
  });
}

function at(root: unknown, path: KeyPath): unknown {
  return path.reduce<unknown>(
    (value, key) => (value as Record<string | number, unknown> | undefined)?.[key],
    root,
  );
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
