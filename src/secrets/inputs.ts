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
import { openSecretStore, secretsFileOf, type HomeSecrets } from "./secrets.ts";

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
  protectionOf(id: string): "keyring" | "file" | undefined;
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
