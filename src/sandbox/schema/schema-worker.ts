/** The thread in which schemas from outside are compiled and run. It keeps what it compiled until it is replaced. */
import type { JsonObject } from "../../core/json.ts";
import { createLru } from "../../timing/lru.ts";
import type { SchemaReply, SchemaRequest } from "./argument-check.ts";
import { serveThread } from "../../process/thread-program.ts";
import { createSchemaValidator, type SchemaValidator } from "./validator.ts";

/** About 25 KB each, as real schemas go; a gateway with more tools in use compiles the rarest again. */
const VALIDATOR_COUNT_MAX = 500;
/** Compiled, a schema takes some fifteen times its text, and the thread has 128 MB. */
const TEXT_LENGTH_MAX = 4 * 1024 * 1024;

const kept = createLru<SchemaValidator>({ countMax: VALIDATOR_COUNT_MAX, sizeMax: TEXT_LENGTH_MAX });

// The first compilation runs cold; here it counts as the start of the thread and not against a request.
createSchemaValidator({ type: "object", properties: { warm: { type: "string", pattern: "^a" } } }).validate({
  warm: "up",
});

serveThread<SchemaRequest, SchemaReply>((request) => ({ reply: answer(request) }));

function answer({ hash, schemaText, args, fillDefaults }: SchemaRequest): SchemaReply {
  const validator = kept.get(hash) ?? create(hash, schemaText);
  return validator?.validate(args, fillDefaults) ?? { kind: "unknown schema" };
}

function create(hash: string, schemaText: string | undefined): SchemaValidator | undefined {
  if (schemaText === undefined) return undefined;
  const validator = createSchemaValidator(JSON.parse(schemaText) as JsonObject);
  kept.set(hash, validator, schemaText.length);
  return validator;
}
