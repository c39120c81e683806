/** The thread in which schemas from outside are compiled and run. It keeps what it compiled until it is replaced. */
import type { JsonObject } from "../core/json.ts";
import type { SchemaReply, SchemaRequest } from "./argument-check.ts";
import { serveBackground } from "./background-worker.ts";
import { createSchemaValidator, type SchemaValidator } from "./schema-validator.ts";

/** About 25 KB each, as real schemas go; a gateway with more tools in use compiles the rarest again. */
const VALIDATOR_COUNT_MAX = 500;
/** Compiled, a schema takes some fifteen times its text, and the thread has 128 MB. */
const TEXT_LENGTH_MAX = 4 * 1024 * 1024;

interface Kept {
  readonly validator: SchemaValidator;
  readonly textLength: number;
}

const kept = new Map<string, Kept>();
let keptTextLength = 0;

// The first compilation runs cold; here it counts as the start of the thread and not against a request.
createSchemaValidator({ type: "object", properties: { warm: { type: "string", pattern: "^a" } } }).validate({
  warm: "up",
});

serveBackground<SchemaRequest, SchemaReply>((request) => ({ reply: answer(request) }));

function answer({ hash, schemaText, args, fillDefaults }: SchemaRequest): SchemaReply {
  const found = kept.get(hash) ?? create(hash, schemaText);
  if (found === undefined) return { kind: "unknown schema" };
  kept.delete(hash);
  kept.set(hash, found);
  return found.validator.validate(args, fillDefaults);
}

function create(hash: string, schemaText: string | undefined): Kept | undefined {
  if (schemaText === undefined) return undefined;
  const validator = createSchemaValidator(JSON.parse(schemaText) as JsonObject);
  const created = { validator, textLength: schemaText.length };
  kept.set(hash, created);
  keptTextLength += created.textLength;
  while (kept.size > VALIDATOR_COUNT_MAX || keptTextLength > TEXT_LENGTH_MAX) dropOldest();
  return created;
}

/** The one that was not used for the longest time stands first. */
function dropOldest(): void {
  const [hash, { textLength }] = kept.entries().next().value!;
  kept.delete(hash);
  keptTextLength -= textLength;
}
