/**
 * The values that people gave for inputs, kept with the secrets of a home under `input:ID`. They are read when
 * something asks for them and not before: a start without inputs touches neither the keyring nor the file.
 *
 * A config is understood at once, a keyring answers later; so the values are loaded first and read from memory then.
 */
import { readConfigText, trustedTexts, type LoadOptions } from "../config/files/config-text.ts";
import { mentionsInputs } from "../config/values/inputs.ts";
import { parseConfigText, type LoadResult } from "../config/load.ts";
import { locateConfig } from "../config/locate.ts";
import { createConfigSource, type ConfigSourceCreated, type SourceOptions } from "../config/source.ts";
import { RepertoireError } from "../core/errors.ts";
import type { SealedSecrets } from "./sealed-secrets.ts";
import { openSecretStore, secretsFileOf, type HomeSecrets } from "./secrets.ts";
import type { SecretProtection } from "../core/secret-store.ts";

const PREFIX = "input:";

export interface Inputs {
  /** Where they are kept; a change of this file may mean other values. */
  readonly path: string;
  /** Reads all values; `read` has them from then on. */
  load(): Promise<void>;
  /** Undefined for an input without a value, or whose value cannot be read here. */
  readonly read: (id: string) => string | undefined;
  set(id: string, value: string): Promise<void>;
  /** Says whether there was one. */
  forget(id: string): Promise<boolean>;
  /** The ids of those that have a value. */
  list(): string[];
  /** What protects the value of an input that has one. */
  protectionOf(id: string): SecretProtection | undefined;
}

interface InputsOptions {
  readonly home: string;
  readonly secrets?: HomeSecrets;
}

export function openInputs({ home, secrets = openSecretStore({ home }) }: InputsOptions): Inputs {
  let values: ReadonlyMap<string, string> = new Map();
  const list = (): string[] => secrets.names(PREFIX).map((name) => name.slice(PREFIX.length));
  return {
    path: secretsFileOf(home),
    list,
    async load() {
      const found = new Map<string, string>();
      for (const id of list()) {
        const value = await secrets.get(PREFIX + id);
        if (value !== undefined) found.set(id, value);
      }
      values = found;
    },
    read: (id) => values.get(id),
    async set(id, value) {
      await secrets.set(PREFIX + id, value);
      values = new Map(values).set(id, value);
    },
    async forget(id) {
      const wasThere = await secrets.delete(PREFIX + id);
      values = new Map([...values].filter(([other]) => other !== id));
      return wasThere;
    },
    protectionOf: (id) => secrets.protectionOf(PREFIX + id),
  };
}

interface StoredInputsOptions {
  /** A file of the home that is never there: changes are told otherwise. */
  readonly path: string;
  /** Opens the secrets of the database for one piece of work: a config is read before there is a store. */
  readonly use: <T>(work: (secrets: SealedSecrets) => Promise<T>) => Promise<T>;
}

/** Those in a database that several gateways share. What is listed is what `load` has found, or was set since. */
export function openStoredInputs({ path, use }: StoredInputsOptions): Inputs {
  let values: ReadonlyMap<string, string | undefined> = new Map();
  const change = (id: string, value: string | undefined, isKept: boolean): void => {
    const others = [...values].filter(([other]) => other !== id);
    values = new Map(isKept ? [...others, [id, value]] : others);
  };
  return {
    path,
    list: () => [...values.keys()].sort(),
    load: () =>
      use(async (secrets) => {
        const found = new Map<string, string | undefined>();
        for (const name of await secrets.names(PREFIX))
          found.set(name.slice(PREFIX.length), await readable(secrets, name));
        values = found;
      }),
    read: (id) => values.get(id),
    async set(id, value) {
      await use((secrets) => secrets.set(PREFIX + id, value));
      change(id, value, true);
    },
    async forget(id) {
      const wasThere = await use((secrets) => secrets.delete(PREFIX + id));
      change(id, undefined, false);
      return wasThere;
    },
    protectionOf: (id) => (values.has(id) ? "database" : undefined),
  };
}

/** Without a key an input has no value here: its server waits for it, and everything else works. */
async function readable(secrets: SealedSecrets, name: string): Promise<string | undefined> {
  try {
    return await secrets.get(name);
  } catch (error) {
    if (error instanceof RepertoireError && error.code === "SECRETS_LOCKED") return undefined;
    throw error;
  }
}

/** As `loadConfig`, with the values that are kept. */
export async function loadConfigWithInputs(options: LoadOptions, inputs?: Inputs): Promise<LoadResult> {
  const { text, values } = await readWithInputs(options, inputs);
  return parseConfigText(text, { ...options, readInput: values.read });
}

/** As `createConfigSource`, with the values that are kept; a watched one also follows their changes. */
export async function openConfigSource(
  options: SourceOptions,
  inputs?: Inputs,
): Promise<ConfigSourceCreated> {
  const { text, values } = await readWithInputs(options, inputs);
  return createConfigSource({ ...options, text, readInput: values.read, inputs: values });
}

async function readWithInputs(options: LoadOptions, inputs?: Inputs) {
  const text = readConfigText(options);
  const values = inputs ?? openInputs({ home: locateConfig(options).home });
  if (trustedTexts(text).some(mentionsInputs)) await values.load();
  return { text, values };
}
