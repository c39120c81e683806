/**
 * Secrets of the gateway in `<home>/secrets.json`, for its owner only, replaced as a whole: a crash leaves the old file
 * or the new one. Where the system has a keyring, each value is sealed with a key that the keyring holds: keyrings
 * differ in how long a value may be, and none of them can change two values at once; a file can. Without a keyring the
 * values are in the file as they are, protected by its permissions.
 *
 * A value that was sealed cannot be read where the keyring is not there. It counts as absent, and is obtained again.
 */
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { messageOf, RepertoireError } from "../core/errors.ts";
import { parseJson, isJsonObject } from "../core/json.ts";
import { openText, SEALING_KEY_BYTES, sealText } from "../text/sealed-text.ts";
import type { SecretStore } from "../core/secret-store.ts";
import { holdLock } from "../process/file-lock.ts";
import { PRIVATE_MODES, replaceFile } from "../process/replace-file.ts";
import { within } from "../timing/deadline.ts";
import { secretsUnderKeys } from "../text/redaction.ts";

const FILE_NAME = "secrets.json";

export interface SecretStoreOptions {
  readonly home: string;
  readonly env?: NodeJS.ProcessEnv;
  /** The system's keyring, if it has one that works. */
  readonly openKeyring?: (account: string) => Promise<Keyring | undefined>;
}

/** The secrets of one home. */
export interface HomeSecrets extends SecretStore {
  /** The names that begin so, in order; also those whose values cannot be read here. */
  names(prefix: string): string[];
  /** What protects a value that is there, without asking the keyring. */
  protectionOf(name: string): "keyring" | "file" | undefined;
}

type Entry = { readonly value: string } | { readonly sealed: string };
type Entries = Readonly<Record<string, Entry>>;

/**
 * `REPERTOIRE_KEYRING=off` leaves the keyring alone. It is asked for with the first value that needs it: a keyring may
 * ask the user, who should not be asked without need.
 */
export function openSecretStore(options: SecretStoreOptions): HomeSecrets {
  const { home, env = process.env } = options;
  const isOff = env["REPERTOIRE_KEYRING"] === "off";
  const file = secretsFileOf(home);
  let ring: Promise<Keyring | undefined> | undefined;
  let key: Buffer | undefined;

  function findKeyring(): Promise<Keyring | undefined> {
    ring ??= isOff ? Promise.resolve(undefined) : (options.openKeyring ?? openKeyring)(home);
    return ring;
  }

  async function readKey(): Promise<Buffer | undefined> {
    const text = key === undefined ? await (await findKeyring())?.get() : undefined;
    if (text !== undefined) key = Buffer.from(text, "base64url");
    return key;
  }

  /** Only under the lock: two processes must not make two keys. */
  async function requireKey(keyring: Keyring): Promise<Buffer> {
    const known = await readKey();
    if (known !== undefined) return known;
    key = randomBytes(SEALING_KEY_BYTES);
    await keyring.set(key.toString("base64url"));
    return key;
  }

  const change = <T>(work: (entries: Record<string, Entry>) => Promise<T>): Promise<T> =>
    holdLock(home, "secrets", async () => {
      const entries = { ...readEntries(file) };
      const result = await work(entries);
      writeEntries(file, entries);
      return result;
    });

  return {
    kind: async () => ((await findKeyring()) === undefined ? "file" : "keyring"),
    async get(name) {
      const entry = readEntries(file)[name];
      if (entry === undefined) return undefined;
      if ("value" in entry) return entry.value;
      const opener = await readKey();
      return opener === undefined ? undefined : openText(opener, name, entry.sealed);
    },
    set: (name, value) =>
      change(async (entries) => {
        const keyring = await findKeyring();
        const sealed = keyring === undefined ? undefined : sealText(await requireKey(keyring), name, value);
        entries[name] = sealed === undefined ? { value } : { sealed };
      }),
    delete: (name) =>
      change(async (entries) => {
        const isThere = Object.hasOwn(entries, name);
        delete entries[name];
        return isThere;
      }),
    exclusive: (name, work) => holdLock(home, name, work),
    names: (prefix) =>
      Object.keys(readEntries(file))
        .filter((name) => name.startsWith(prefix))
        .sort(),
    protectionOf(name) {
      const entry = readEntries(file)[name];
      if (entry === undefined) return undefined;
      return "sealed" in entry ? "keyring" : "file";
    },
  };
}

export function secretsFileOf(home: string): string {
  return join(home, FILE_NAME);
}

// ── the file ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Without a prototype. A file that is missing or damaged has no secrets: all of them can be obtained again. */
function readEntries(file: string): Entries {
  const none = Object.create(null) as Entries;
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return none;
    throw unsafe(file, error);
  }
  const parsed = parseJson(text);
  const found = parsed.ok ? (parsed.value as { secrets?: unknown } | null)?.secrets : undefined;
  if (typeof found !== "object" || found === null) return none;
  return Object.assign(none, Object.fromEntries(Object.entries(found).filter(([, entry]) => isEntry(entry))));
}

function isEntry(entry: unknown): entry is Entry {
  if (typeof entry !== "object" || entry === null) return false;
  const { value, sealed } = entry as Record<string, unknown>;
  return typeof (value ?? sealed) === "string";
}

function writeEntries(file: string, secrets: Entries): void {
  try {
    const text = `${JSON.stringify({ secrets }, null, 2)}\n`;
    replaceFile(file, text, PRIVATE_MODES, { mode: PRIVATE_MODES.file, followsLink: false });
  } catch (error) {
    throw unsafe(file, error);
  }
}

function unsafe(file: string, cause: unknown): RepertoireError {
  return new RepertoireError("HOME_UNSAFE", `Cannot use ${file}: ${messageOf(cause)}`, {
    hint: "Check that the home folder is a folder that you may write to, or choose another with --home.",
    cause,
  });
}

// ── the keyring ─────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * One secret in the keyring of the system: Secret Service on Linux, the keychain on macOS, the credential manager on
 * Windows. The kernel's keyring of Linux is not used: it is empty after the next start of the machine.
 */
export interface Keyring {
  get(): Promise<string | undefined>;
  set(secret: string): Promise<void>;
}

const SERVICE = "repertoire";
/** A keyring that is locked may ask the user first; one that does not answer in this time counts as absent. */
const ANSWER_MS = 20_000;

/** Asks once whether the keyring works; undefined where there is none, or the package for it is not installed. */
async function openKeyring(account: string): Promise<Keyring | undefined> {
  try {
    const { AsyncEntry } = await import("@napi-rs/keyring");
    const entry = new AsyncEntry(SERVICE, account, { linux: { store: "secret-service" } });
    const keyring: Keyring = {
      get: async () => (await answered(entry.getPassword())) ?? undefined,
      set: (secret) => answered(entry.setPassword(secret)),
    };
    await keyring.get();
    return keyring;
  } catch {
    return undefined;
  }
}

function answered<T>(work: Promise<T>): Promise<T> {
  return within(work, ANSWER_MS, {
    late: (): never => {
      throw new Error(`the keyring did not answer within ${ANSWER_MS} ms`);
    },
  });
}

/** Tokens are renewed for as long as a gateway runs; old ones are no longer valid. */
const REMEMBERED_MAX = 1_000;

/**
 * The secrets that a gateway knows by value: those of the config, also as it was before (a server may still run that
 * was started with them), and those of the home that it has read or written since it started, such as the tokens of its
 * logins to servers.
 */
export interface KnownSecrets {
  /** The same list for as long as there is nothing new. */
  readonly all: () => readonly string[];
  /** The store, with what goes through it remembered. */
  watch<T extends SecretStore>(store: T): T;
}

export function createKnownSecrets(
  config: { current(): Pick<Config, "secrets"> },
  ofEnvironment: readonly string[] = [],
): KnownSecrets {
  const remembered = new Set<string>();
  let configured: readonly string[] = [];
  let made: { readonly of: readonly string[]; readonly all: readonly string[] } | undefined;

  function note(secrets: readonly string[]): void {
    for (const secret of secrets) {
      if (remembered.has(secret)) continue;
      remembered.add(secret);
      made = undefined;
    }
    for (const oldest of remembered) {
      if (remembered.size <= REMEMBERED_MAX) break;
      remembered.delete(oldest);
    }
  }

  return {
    all() {
      const of = config.current().secrets;
      if (configured !== of) note(configured);
      configured = of;
      if (made?.of !== of) made = { of, all: [...ofEnvironment, ...of, ...remembered] };
      return made.all;
    },
    watch: (store) => ({
      ...store,
      async get(name: string) {
        const value = await store.get(name);
        if (value !== undefined) note(secretsIn(value));
        return value;
      },
      set(name: string, value: string) {
        note(secretsIn(value));
        return store.set(name, value);
      },
    }),
  };
}

/** A login is kept as JSON with its tokens under their names; anything else is a secret as a whole. */
function secretsIn(text: string): string[] {
  const parsed = parseJson(text);
  return parsed.ok && isJsonObject(parsed.value) ? secretsUnderKeys(parsed.value) : [text];
}
