/**
 * The secrets that a gateway knows by value: those of the config, also as it was before (a server may still run that
 * was started with them), and those of the home that it has read or written since it started, such as the tokens of its
 * logins to servers.
 */
import type { Config } from "../config/config.ts";
import { isJsonObject, parseJson } from "../core/json.ts";
import { secretsUnderKeys } from "../text/redaction.ts";
import type { SecretStore } from "../core/secret-store.ts";

/** Tokens are renewed for as long as a gateway runs; old ones are no longer valid. */
const REMEMBERED_MAX = 1_000;

export interface KnownSecrets {
  /** The same list for as long as there is nothing new. */
  readonly all: () => readonly string[];
  /** The store, with what goes through it remembered. */
  watch<T extends SecretStore>(store: T): T;
}

export function createKnownSecrets(config: { current(): Pick<Config, "secrets"> }): KnownSecrets {
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
      if (made?.of !== of) made = { of, all: [...of, ...remembered] };
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
