import type { ToolDefinition } from "../../core/tool.ts";

/**
 * A text that a model or a node works on is rarely over 1 MiB; 4 MiB is the largest JSON value that the gateway takes.
 */
export const FILE_LIMITS = { bytes: 1024 * 1024, bytesMax: 4 * 1024 * 1024 } as const;

const path = {
  type: "string",
  description: "The file. A relative path begins at the first folder of workflows.fileRoots.",
};

const encoding = {
  type: "string",
  enum: ["utf8", "base64"],
  default: "utf8",
  description: "How content holds the bytes of the file: as text, or as base64 for anything else.",
};

const bytes = { type: "integer", description: "How many bytes that is." };

export const readFileDefinition: ToolDefinition = {
  name: "read_file",
  title: "Read a file",
  description:
    "Reads a file and returns {path, bytes, content}. Works only inside the folders that the config opens with " +
    "workflows.fileRoots. A file that is larger than max_bytes, or is not UTF-8 when read as text, fails.",
  inputSchema: {
    type: "object",
    properties: {
      path,
      encoding,
      max_bytes: {
        type: "integer",
        minimum: 1,
        maximum: FILE_LIMITS.bytesMax,
        default: FILE_LIMITS.bytes,
        description: "A larger file is not read.",
      },
    },
    required: ["path"],
    additionalProperties: false,
  },
  outputSchema: {
    type: "object",
    properties: {
      path: { type: "string", description: "The path as it was given." },
      bytes,
      content: { type: "string", description: "The content, in the encoding that was asked for." },
    },
    required: ["path", "bytes", "content"],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
};

export const writeFileDefinition: ToolDefinition = {
  name: "write_file",
  title: "Write a file",
  description:
    "Writes content to a file and returns {path, bytes}. Replaces the whole file at once, or appends to it. Works only " +
    "inside the folders that the config opens with workflows.fileRoots. New files are readable by their owner only.",
  inputSchema: {
    type: "object",
    properties: {
      path,
      content: { type: "string", description: "What to write." },
      encoding,
      append: {
        type: "boolean",
        default: false,
        description: "Whether to add to the end instead of replacing the content.",
      },
      create_folders: {
        type: "boolean",
        default: true,
        description: "Whether folders of the path that do not exist are made.",
      },
    },
    required: ["path", "content"],
    additionalProperties: false,
  },
  outputSchema: {
    type: "object",
    properties: {
      path: { type: "string", description: "The path as it was given." },
      bytes,
    },
    required: ["path", "bytes"],
    additionalProperties: false,
  },
  // Appending twice is not the same as appending once.
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
};
