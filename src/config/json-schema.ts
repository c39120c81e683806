import * as z from "zod";
import { fileSchema } from "./schema.ts";

/** The JSON Schema (2020-12) of `repertoire.json`, for editors; it is kept in `schema/repertoire.schema.json`. */
export function createJsonSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(fileSchema, {
    io: "input",
    target: "draft-2020-12",
    override: ({ jsonSchema }) => allowVariables(jsonSchema),
  });
  const { $schema, ...rest } = schema;
  return {
    $schema,
    title: "Repertoire configuration",
    description:
      "repertoire.json: JSON with comments. ${VAR}, ${VAR:-default} and ${env:VAR} in string values are replaced once by " +
      'environment variables, ${workspaceFolder} and ${userHome} by those folders, ${input:ID} by the value that was given for the input; "$${" is a literal "${".',
    ...rest,
  };
}

/** The text of the file, to the byte. */
export function formatJsonSchema(): string {
  return `${JSON.stringify(createJsonSchema(), null, 2)}\n`;
}

/** An editor sees `${LEVEL}` before it is expanded, so a choice also takes a text with a variable in it. */
function allowVariables(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.enum === undefined) return;
  schema.anyOf = [{ enum: schema.enum }, { pattern: "\\$\\{" }];
  delete schema.enum;
}
