/**
 * Moves everything of a home to a PostgreSQL database: its rows, and then the tokens, drafts and secrets that are files.
 * The home stays as it is, so that a move which is not wanted after all costs nothing.
 */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { silentLog } from "../../core/log.ts";
import type { Scope } from "../../core/names.ts";
import type { Store } from "../../core/store.ts";
import { createDraftFolder } from "../../library/draft-folder.ts";
import { createStoredDrafts } from "../../library/stored-drafts.ts";
import { openSealedSecrets } from "../../secrets/sealed-secrets.ts";
import { loadSecretKeys, type SecretKeys } from "../../secrets/secret-key.ts";
import { openSecretStore } from "../../secrets/secrets.ts";
import { readTokens } from "../../server/auth/token-file.ts";
import { keepInStore } from "../../server/auth/token-keeper.ts";
import type { TokenEntry } from "../../server/auth/token.ts";
import type { StoreCopied } from "../../store/copy-store.ts";
import { isPresent } from "../../store/sqlite/database-file.ts";
import { DATABASE_NAME } from "../../store/sqlite/home.ts";
import { placeOfDatabase } from "../../text/database-place.ts";
import { readLive } from "../live.ts";

export interface MoveOptions {
  readonly home: string;
  readonly url: string;
  readonly waitMs: number;
  /** Whose drafts are taken along. */
  readonly scope: Scope;
  readonly progress?: (table: string, rowCount: number) => void;
  /** Only says what would be moved. */
  readonly isDry?: boolean;
}

export interface Moved {
  readonly kind: "moved";
  readonly place: string;
  readonly rows: Readonly<Record<string, number>>;
  readonly tokenCount: number;
  readonly draftCount: number;
  readonly secretCount: number;
  /** Secrets that are still in the home only. */
  readonly leftSecrets: readonly { readonly name: string; readonly why: "no_key" | "unreadable" }[];
  /** The first entry of the audit trail that does not follow from the one before. */
  readonly auditBreak?: number;
}

export type StoreMoved =
  | Moved
  | { readonly kind: "no_store"; readonly path: string }
  | { readonly kind: "in_use"; readonly pids: readonly number[] }
  | Exclude<StoreCopied, { kind: "copied" }>;

export async function moveStore(options: MoveOptions): Promise<StoreMoved> {
  const { home, url, waitMs } = options;
  const path = join(home, DATABASE_NAME);
  if (!isPresent(path)) return { kind: "no_store", path };
  const pids = readLive(home).flatMap(({ serves, pid }) => (serves === undefined ? [] : [pid]));
  if (pids.length > 0) return { kind: "in_use", pids };
  // What would fail fails before the first row is written: a target with rows is not filled again.
  const files: HomeFiles = { tokens: readTokens(home) ?? [], keys: loadSecretKeys() };
  const { copyIntoPostgres } = await import("../../store/postgres/copy-into-postgres.ts");
  const copied = await copyIntoPostgres(options);
  if (copied.kind !== "copied") return copied;
  if (options.isDry === true) return survey(options, files, copied.rows);
  const { openPostgresStore } = await import("../../store/postgres/postgres-store.ts");
  const store = await openPostgresStore({ url, waitMs, pooler: true });
  try {
    const auditBreak = await store.audit.findBreak();
    return {
      kind: "moved",
      place: store.status().place,
      rows: copied.rows,
      tokenCount: await moveTokens(files, store),
      draftCount: await moveDrafts(options, store),
      ...(await moveSecrets(home, files, store)),
      ...(auditBreak !== undefined && { auditBreak }),
    };
  } finally {
    await store.close();
  }
}

async function survey(
  { home, url, scope }: MoveOptions,
  { tokens, keys }: HomeFiles,
  rows: Moved["rows"],
): Promise<Moved> {
  const kept = openSecretStore({ home });
  const names = kept.names("");
  const drafts = await createDraftFolder(join(home, "drafts")).list(scope);
  return {
    kind: "moved",
    place: placeOfDatabase(url),
    rows,
    tokenCount: tokens.length,
    draftCount: drafts.length,
    secretCount: keys === undefined ? 0 : names.length,
    leftSecrets: keys === undefined ? names.map((name) => ({ name, why: "no_key" })) : [],
  };
}

interface HomeFiles {
  readonly tokens: readonly TokenEntry[];
  readonly keys: SecretKeys | undefined;
}

/** By their hashes: the text of the default token, which the file has, stays there. */
async function moveTokens({ tokens }: HomeFiles, store: Store): Promise<number> {
  await keepInStore(store.tokens).change(() => ({ entries: tokens, outcome: undefined }));
  return tokens.length;
}

async function moveDrafts({ home, scope }: MoveOptions, store: Store): Promise<number> {
  const folder = createDraftFolder(join(home, "drafts"));
  const target = createStoredDrafts(store.drafts);
  let count = 0;
  for (const { name } of await folder.list(scope)) {
    const draft = await folder.find(scope, [name], "name");
    if (draft?.success !== true || draft.data.text.includes("\0")) continue;
    await target.put(scope, draft.data);
    count++;
  }
  return count;
}

async function moveSecrets(
  home: string,
  { keys }: HomeFiles,
  store: Store,
): Promise<Pick<Moved, "secretCount" | "leftSecrets">> {
  const kept = openSecretStore({ home });
  const names = kept.names("");
  if (keys === undefined)
    return { secretCount: 0, leftSecrets: names.map((name) => ({ name, why: "no_key" })) };
  const target = openSealedSecrets({
    rows: store.secrets,
    locks: store.locks,
    owner: randomUUID(),
    keys,
    log: silentLog,
  });
  const leftSecrets: { name: string; why: "unreadable" }[] = [];
  for (const name of names) {
    const value = await kept.get(name);
    if (value === undefined) leftSecrets.push({ name, why: "unreadable" });
    else await target.set(name, value);
  }
  return { secretCount: names.length - leftSecrets.length, leftSecrets };
}
