import type { ToolDefinition } from "../../core/tool.ts";
import { METHODS } from "./params.ts";

/**
 * An API answers in seconds; a slow export may take minutes. No more is read than the largest HTTP body that the
 * gateway takes.
 */
export const HTTP_LIMITS = { timeoutMs: 30_000, timeoutMsMax: 300_000, bytesMax: 4 * 1024 * 1024 } as const;

const scalar = ["string", "number", "boolean", "null"];

export const httpDefinition: ToolDefinition = {
  name: "http",
  title: "HTTP request",
  description:
    "Sends one HTTP request and returns {status, ok, headers, body}. A JSON answer is parsed, so its fields can be used " +
    "directly: ${node.body.items[0].id}. A status of 400 or above fails the node unless fail_on_status is false. Private " +
    "and loopback addresses are refused unless the config allows them.",
  inputSchema: {
    type: "object",
    properties: {
      url: { type: "string", description: "http:// or https://, without a user name or password." },
      method: { type: "string", enum: METHODS, default: "GET", description: "The method." },
      headers: {
        type: "object",
        additionalProperties: { type: "string" },
        description:
          "Headers to send, such as Authorization. Not sent on to another origin if they are credentials.",
      },
      query: {
        type: "object",
        additionalProperties: { type: [...scalar, "array"], items: { type: scalar } },
        description: "Parameters that are added to the URL. A list repeats its name, null leaves it out.",
      },
      json: { description: "A value to send as JSON. Not together with body." },
      body: { type: "string", description: "Text to send as it is. Not together with json." },
      timeout_ms: {
        type: "integer",
        minimum: 1,
        maximum: HTTP_LIMITS.timeoutMsMax,
        default: HTTP_LIMITS.timeoutMs,
        description: "How long everything may take together, redirects and body included.",
      },
      follow_redirects: {
        type: "boolean",
        default: true,
        description: "Whether to follow up to 5 redirects.",
      },
      max_bytes: {
        type: "integer",
        minimum: 1,
        maximum: HTTP_LIMITS.bytesMax,
        default: HTTP_LIMITS.bytesMax,
        description: "A longer body is cut there, and truncated is true.",
      },
      fail_on_status: {
        type: "boolean",
        default: true,
        description: "Whether a status of 400 or above is a failure; false returns it like any other.",
      },
    },
    required: ["url"],
    additionalProperties: false,
  },
  outputSchema: {
    type: "object",
    properties: {
      status: { type: "integer", description: "The HTTP status." },
      ok: { type: "boolean", description: "Whether the status is from 200 to 299." },
      headers: {
        type: "object",
        additionalProperties: { type: "string" },
        description: "The headers of the answer, by lower-case name.",
      },
      body: { description: "The parsed value of a JSON answer, otherwise its text." },
      truncated: { type: "boolean", description: "True if the body was longer than max_bytes." },
    },
    required: ["status", "ok", "headers", "body"],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
};
