import { isJsonObject } from "../core/json.ts";
import type { Component, SourceAbout } from "../core/tool.ts";
import type { SearchDocument } from "./search-fields.ts";

/** Beyond this a tool's parameters say nothing more about what it is for. */
const PARAMETERS_MAX = 100;
const TEXT_LENGTH_MAX = 8 * 1024;

/** What is known of a tool from earlier runs that succeeded. */
export interface Experience {
  /** What they were for, the newest first. */
  readonly intents: readonly string[];
  readonly useCount: number;
}

/** What can be searched of a tool. */
export function documentOf(
  { name, source, definition }: Component,
  experience?: Experience,
  about?: SourceAbout,
): SearchDocument {
  const { title, description, metadata, inputSchema } = definition;
  const properties = isJsonObject(inputSchema["properties"]) ? inputSchema["properties"] : {};
  const parameters = Object.entries(properties).slice(0, PARAMETERS_MAX);
  return {
    id: name,
    fields: {
      name: definition.name.slice(0, 200),
      ...(title !== undefined && { title: title.slice(0, 200) }),
      server: source,
      ...(about?.title !== undefined && { serverTitle: about.title }),
      ...(about?.description !== undefined && { serverDescription: about.description }),
      category: join([metadata?.category, ...listOf(metadata?.tags)]),
      description: join([title, description]),
      parameterNames: join(parameters.map(([key]) => key)),
      parameterDescriptions: join(parameters.map(([, schema]) => fieldOf(schema, "description"))),
      enums: join(parameters.flatMap(([, schema]) => listOf(fieldOf(schema, "enum")))),
    },
    ...(experience && { useCount: experience.useCount, intents: experience.intents }),
  };
}

function fieldOf(schema: unknown, field: string): unknown {
  return isJsonObject(schema) ? schema[field] : undefined;
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value.slice(0, PARAMETERS_MAX) : [];
}

function join(texts: readonly unknown[]): string {
  return texts
    .filter((text) => typeof text === "string")
    .join(" ")
    .slice(0, TEXT_LENGTH_MAX);
}
