/** The API as an OpenAPI 3.1 document, made from the contract. `npm run schema` writes it to schema/openapi.json. */
import * as z from "zod";
import type { JsonObject } from "../core/json.ts";
import { CONTRACT } from "./contract/contract.ts";
import type { Endpoint } from "./contract/endpoint.ts";
import { API_PREFIX, CONSOLE_HEADER, ROUTES, TOPICS, type RouteName } from "./routes.ts";

/** What goes wrong is told in the same shape everywhere. */
const ERROR: JsonObject = {
  type: "object",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      required: ["code", "message", "retryable"],
      properties: {
        code: { type: "string", description: "Such as TOOL_NOT_FOUND or SECURITY_ERROR." },
        message: { type: "string" },
        retryable: { type: "boolean" },
        reason: { type: "string" },
        hint: { type: "string", description: "The next step." },
        field: { type: "string" },
        nearest: { type: "array", items: { type: "string" } },
      },
    },
  },
};

export function describeApi(version: string): JsonObject {
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const [name, [method, path]] of Object.entries(ROUTES)) {
    const template = `${API_PREFIX}${path.replaceAll(/:(\w+)/g, "{$1}")}`;
    paths[template] = { ...paths[template], [method.toLowerCase()]: operationOf(name as RouteName) };
  }
  paths[`${API_PREFIX}/events`] = { get: EVENTS };
  return {
    openapi: "3.1.0",
    info: {
      title: "Repertoire",
      version,
      description:
        "What the command line shows and does, over HTTP. Programs send a token; the console has a session. " +
        "Each answer is what the command under x-repertoire-cli prints with --json, unless it says otherwise.",
    },
    security: [{ token: [] }, { session: [] }],
    paths,
    components: {
      securitySchemes: {
        token: { type: "http", scheme: "bearer" },
        session: {
          type: "apiKey",
          in: "cookie",
          name: "repertoire_console_PORT",
          description: `Writes also need the header ${CONSOLE_HEADER} and an Origin that is the gateway's own.`,
        },
      },
      schemas: { Error: ERROR },
    },
  };
}

const EVENTS: JsonObject = {
  operationId: "listenForChanges",
  summary: "A stream of server-sent events: {seq, topic, id, rev}; resumable by Last-Event-ID",
  parameters: [
    {
      name: "topics",
      in: "query",
      schema: { type: "string" },
      description: `Some of ${TOPICS.join(", ")}, separated by commas. Topic * means that everything may have changed.`,
    },
  ],
  responses: { 200: { description: "Changes", content: { "text/event-stream": {} } } },
};

function operationOf(name: RouteName): JsonObject {
  const endpoint: Endpoint = CONTRACT[name];
  const [method, path] = ROUTES[name];
  const { summary, permission, shows, twin } = endpoint;
  const body = schemaOf(endpoint.body, "input");
  return {
    operationId: name,
    summary,
    "x-repertoire-scope": permission,
    "x-repertoire-shows": shows,
    ...(twin !== undefined && { "x-repertoire-cli": `repertoire ${twin}` }),
    ...(permission === "public" && { security: [] }),
    parameters: [...pathParameters(path), ...queryParameters(endpoint.query)],
    ...(method === "POST" && {
      requestBody: { required: true, content: { "application/json": { schema: body } } },
    }),
    responses: {
      200: {
        description: "The answer",
        content: { "application/json": { schema: schemaOf(endpoint.answer, "output") } },
      },
      default: {
        description: "What went wrong",
        content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
      },
    },
  };
}

function pathParameters(path: string): JsonObject[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name: name!,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
}

function queryParameters(query: z.ZodObject): JsonObject[] {
  const { properties = {}, required = [] } = schemaOf(query, "input") as {
    readonly properties?: Readonly<Record<string, JsonObject>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: "query",
    ...(required.includes(name) && { required: true }),
    ...(description !== undefined && { description }),
    schema,
  }));
}

function schemaOf(shape: z.ZodType, io: "input" | "output"): JsonObject {
  const { $schema: _, ...schema } = z.toJSONSchema(shape, { io, unrepresentable: "any" });
  return schema as JsonObject;
}
