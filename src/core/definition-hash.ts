import { hashJson, type JsonLimits } from "./json.ts";

/** A definition that was admitted is bounded already. */
const DEFINITION_LIMITS: JsonLimits = { depthMax: 64, keyCountMax: 100_000, bytesMax: 4 * 1024 * 1024 };

const known = new WeakMap<object, string>();

/**
 * The hash that says whether a definition has changed. It is computed on demand, and once: a process that starts
 * from its list cache hashes nothing.
 */
export function hashOfDefinition(definition: object): string {
  let hash = known.get(definition);
  if (hash === undefined) {
    hash = hashJson(definition, DEFINITION_LIMITS);
    known.set(definition, hash);
  }
  return hash;
}
