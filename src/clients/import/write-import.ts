/**
 * Writes what an import plans into our file: all of it or nothing. The file as it was is kept first; values of secrets
 * that move are kept before the file refers to them, so a crash in between leaves values that are not used, and no
 * server without its own.
 */
import type { JsonObject } from "../../core/json.ts";
import { keepBackup, sha256Of, changeError } from "../../config/files/backup.ts";
import { editText, writeConfig, type ConfigEdit } from "../../config/files/edit.ts";
import { parseDocument } from "../../config/files/document.ts";
import type { InputDeclaration } from "../../config/values/inputs.ts";
import { findMissingFolder, modeOf } from "../../process/replace-file.ts";
import { asObject } from "../../config/entries/server-check.ts";
import { withInputs } from "./plain-secrets.ts";
import type { ImportPlan } from "./plan-import.ts";
import { readWhole } from "../../config/files/read-file.ts";
import type { SecretProtection } from "../../core/secret-store.ts";

export interface ImportTarget {
  readonly path: string;
  readonly home: string;
  /** Whether secrets move out of plain text. */
  readonly moves: boolean;
}

/** Keeps the values of inputs. */
interface KeepInputs {
  set(id: string, value: string): Promise<void>;
  list(): string[];
  protectionOf(id: string): SecretProtection | undefined;
}

export interface ImportWritten {
  readonly file: string;
  /** The inputs that secrets moved to. */
  readonly moved: readonly string[];
  readonly protection: SecretProtection | undefined;
}

export async function writeImport(
  plan: ImportPlan,
  { path, home, moves }: ImportTarget,
  inputs: KeepInputs,
): Promise<ImportWritten> {
  const before = readWhole(path);
  if (typeof before === "object") throw changeError(path, before.message);
  const { servers, declared, values } = arrangeServers(plan.additions, moves);
  const edits = [
    ...servers.map(({ key, entry }): ConfigEdit => ({ path: ["mcpServers", key], value: entry })),
    ...declareInputs(before, declared),
  ];
  const after = editText(before, edits);
  const known = new Set(inputs.list());
  const given = [...values].filter(([id]) => !known.has(id));
  const madeFolder = findMissingFolder(path);
  keepBackup(
    home,
    { client: "init", scope: "user" },
    {
      path,
      before: before === undefined ? null : Buffer.from(before).toString("base64"),
      afterSha256: sha256Of(Buffer.from(after)),
      mode: modeOf(path) ?? null,
      inputs: given.map(([id]) => id),
      madeFolder,
    },
  );
  for (const [id, value] of given) await inputs.set(id, value);
  writeConfig(path, home, before, after);
  const moved = given.map(([id]) => id);
  return {
    file: path,
    moved,
    protection: moved[0] === undefined ? undefined : inputs.protectionOf(moved[0]),
  };
}

interface Arranged {
  readonly servers: readonly { readonly key: string; readonly entry: JsonObject }[];
  readonly declared: readonly InputDeclaration[];
  readonly values: ReadonlyMap<string, string>;
}

/**
 * The entries for the file, with inputs in place of secrets where these move, and what has to be declared and kept for
 * that.
 */
export function arrangeServers(
  additions: readonly Pick<ImportPlan["additions"][number], "key" | "entry" | "secrets" | "inputs">[],
  moves: boolean,
): Arranged {
  const declared = new Map<string, InputDeclaration>();
  const values = new Map<string, string>();
  const servers = additions.map(({ key, entry, secrets, inputs }) => {
    for (const input of inputs) declared.set(input.id, input);
    if (!moves || secrets.length === 0) return { key, entry };
    const moved = withInputs(entry, secrets);
    for (const { name, suggestedInput: id } of secrets) {
      declared.set(id, { id, type: "promptString", description: `${name} of ${key}`, password: true });
    }
    for (const [id, value] of moved.values) values.set(id, value);
    return { key, entry: moved.entry };
  });
  return { servers, declared: [...declared.values()], values };
}

/** Those that the file does not declare yet, after those that it does. */
export function declareInputs(
  before: string | undefined,
  declared: readonly InputDeclaration[],
): ConfigEdit[] {
  const parsed =
    before === undefined || before.trim() === ""
      ? undefined
      : parseDocument(before.replace(/^\uFEFF/, ""), "");
  const there: unknown = parsed?.ok === true ? asObject(parsed.document.value)?.["inputs"] : undefined;
  const ids = new Set(Array.isArray(there) ? there.map((entry) => asObject(entry)?.["id"]) : []);
  const missing = declared.filter(({ id }) => !ids.has(id));
  if (missing.length === 0) return [];
  if (!Array.isArray(there)) return [{ path: ["inputs"], value: missing }];
  return missing.map((value, index) => ({ path: ["inputs", there.length + index], value }));
}
