/**
 * Secrets of gateways that share a database: rows that are sealed with a key from the environment of each gateway. Each is
 * bound to its name, so that a row that somebody moves to another name does not open.
 *
 * Without a key, reading or writing a secret throws; asking for one that is not there does not need it, so gateways without
 * secrets need no key. A row that none of the keys opens counts as absent, and the log says so once.
 */
import { RepertoireError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { SealedSecret, SecretRows } from "../core/replica-store.ts";
import type { SecretStore } from "../core/secret-store.ts";
import { openText, sealText } from "../text/sealed-text.ts";
import { createRowLock, type RowLockDeps } from "./row-lock.ts";
import { MAKE_KEY, type SecretKey, type SecretKeys } from "./secret-key.ts";

export interface SealedSecretsDeps extends RowLockDeps {
  readonly rows: SecretRows;
  readonly keys: SecretKeys | undefined;
  readonly log: Log;
}

export interface SealedSecrets extends SecretStore {
  /** The names that begin so, in order; also those whose values cannot be read here. */
  names(prefix: string): Promise<string[]>;
  /** Seals everything with the current key, or says what that would change. */
  rotate(options?: { readonly isDry?: boolean }): Promise<Rotation>;
}

export interface Rotation {
  /** The current key had sealed them already, or has now. */
  readonly sealedCount: number;
  readonly changedCount: number;
  /** The names of those that no key opens. */
  readonly unreadable: readonly string[];
}

export function openSealedSecrets(deps: SealedSecretsDeps): SealedSecrets {
  const { rows, keys, log } = deps;
  const told = new Set<string>();

  function open(secret: SealedSecret): string | undefined {
    const { current, previous } = requireKeys(keys);
    const key = [current, previous].find((one) => one?.id === secret.keyId);
    const value = key === undefined ? undefined : openText(key.bytes, secret.name, secret.sealed);
    if (value === undefined && !told.has(secret.name)) {
      told.add(secret.name);
      log.warn("secrets.unreadable", { secret: secret.name, sealedWith: secret.keyId, key: current.id });
    }
    return value;
  }

  /** Only if it was not written meanwhile, so that a new value stays. */
  function sealAgain(secret: SealedSecret, value: string): Promise<boolean> {
    return rows.replace(secret, seal(requireKeys(keys).current, secret.name, value));
  }

  /** The value is good as it is: another time will do as well. */
  async function trySealAgain(secret: SealedSecret, value: string): Promise<void> {
    try {
      await sealAgain(secret, value);
    } catch (error) {
      log.warn("secrets.unsealed", { secret: secret.name, error });
    }
  }

  return {
    kind: () => Promise.resolve("database"),
    async get(name) {
      const secret = await rows.get(name);
      if (secret === undefined) return undefined;
      const value = open(secret);
      if (value !== undefined && secret.keyId !== keys?.current.id) await trySealAgain(secret, value);
      return value;
    },
    async set(name, value) {
      await rows.put({ name, ...seal(requireKeys(keys).current, name, value) });
      told.delete(name);
    },
    delete: (name) => rows.delete(name),
    exclusive: createRowLock(deps),
    names: async (prefix) => (await rows.list(prefix)).map(({ name }) => name),
    async rotate({ isDry = false } = {}) {
      const { current } = requireKeys(keys);
      const counts = { sealedCount: 0, changedCount: 0 };
      const unreadable: string[] = [];
      for (const secret of await rows.list("")) {
        const value = open(secret);
        if (value === undefined) unreadable.push(secret.name);
        else {
          counts.sealedCount++;
          if (secret.keyId === current.id) continue;
          if (isDry || (await sealAgain(secret, value))) counts.changedCount++;
        }
      }
      return { ...counts, unreadable };
    },
  };
}

function seal({ id, bytes }: SecretKey, name: string, value: string): Omit<SealedSecret, "name"> {
  return { sealed: sealText(bytes, name, value), keyId: id };
}

function requireKeys(keys: SecretKeys | undefined): SecretKeys {
  if (keys !== undefined) return keys;
  throw new RepertoireError("SECRETS_LOCKED", "There is no key for the secrets in the database.", {
    hint: `Set REPERTOIRE_SECRET_KEY, the same for all gateways, or REPERTOIRE_SECRET_KEY_FILE. Make a key with: ${MAKE_KEY}`,
  });
}
