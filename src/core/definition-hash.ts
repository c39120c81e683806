import { hashJson, type JsonLimits } from "./json.ts";

/** What passed the door is bounded already. */
const DEFINITION_LIMITS: JsonLimits = { depthMax: 64, keyCountMax: 100_000, bytesMax: 4 * 1024 * 1024 };

const known = new WeakMap<object, string>();

/**
 * The hash that says whether a definition has changed. It is made when somebody asks, and once: a process that starts
 * from what was kept hashes nothing.
 */
export function hashOfDefinition(definition: object): string {
  let hash = known.get(definition);
  if (hash === undefined) {
    hash = hashJson(definition, DEFINITION_LIMITS);
    known.set(definition, hash);
  }
  return hash;
}
