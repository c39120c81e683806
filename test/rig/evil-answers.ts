/** The good half of an evil upstream: what it answers where the script says nothing. */
import { setTimeout as sleep } from "node:timers/promises";
import type { EvilScript } from "./evil-script.ts";

export type Json = Record<string, unknown>;
export type Id = string | number;
export interface Message extends Json {
  readonly id?: Id;
  readonly method?: string;
  readonly params?: Json;
}
export type Answer = { readonly result: unknown } | { readonly error: unknown };

const META = "io.modelcontextprotocol/";
const MODERN = "2026-07-28";
const LEGACY = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
const LISTS = new Set(["tools/list", "resources/list", "resources/templates/list", "prompts/list"]);

function toolOf(name: string, properties: Json, annotations: Json = {}): Json {
  const inputSchema = { type: "object", properties, required: Object.keys(properties) };
  return { name, description: `The rig's ${name}.`, inputSchema, annotations };
}

const DEFAULT_TOOLS: readonly Json[] = [
  toolOf("echo", { text: { type: "string" } }, { readOnlyHint: true }),
  toolOf(
    "add",
    { a: { type: "number" }, b: { type: "number" } },
    { readOnlyHint: true, idempotentHint: true },
  ),
  toolOf("slow", { ms: { type: "number" } }),
  toolOf("fail", { message: { type: "string" } }),
  toolOf("count", {}, { readOnlyHint: false }),
];

export function isModern(message: Message): boolean {
  return metaOf(message)[`${META}protocolVersion`] !== undefined;
}

export function metaOf(message: Message): Json {
  return (message.params?.["_meta"] ?? {}) as Json;
}

/** A notification as it belongs on a `subscriptions/listen` stream. */
export function withSubscription(params: Json | undefined, id: Id): Json {
  return { ...params, _meta: { ...(params?.["_meta"] as Json | undefined), [`${META}subscriptionId`]: id } };
}

export function createAnswers(script: EvilScript) {
  const serverInfo = { name: script.name ?? "evil-upstream", version: "1.0.0" };
  const capabilities = script.capabilities ?? { tools: { listChanged: true } };
  const era = script.era ?? "both";
  let listCount = 0;
  let countCount = 0;

  function currentTools(firstPage: boolean): readonly unknown[] {
    if (firstPage) listCount++;
    const lists = script.toolLists ?? [];
    if (lists.length > 0) return lists[Math.max(0, listCount - 1) % lists.length] ?? [];
    if (script.toolCount !== undefined) {
      return Array.from({ length: script.toolCount }, (_, index) => toolOf(`tool_${index}`, {}));
    }
    return script.tools ?? DEFAULT_TOOLS;
  }

  /** A cursor is the number of the page; beyond the last page only endless ones go on. */
  function listTools(cursor: unknown): Json {
    const tools = currentTools(cursor === undefined);
    if (script.pages === undefined) return { tools };
    const { size, endless } = script.pages;
    const page = Number(cursor ?? 0);
    const lastPage = Math.max(0, Math.ceil(tools.length / size) - 1);
    const shown = Math.min(page, lastPage) * size;
    const nextCursor =
      page < lastPage || endless === "new-cursor"
        ? page + 1
        : endless === "same-cursor"
          ? lastPage
          : undefined;
    const more = nextCursor === undefined ? {} : { nextCursor: String(nextCursor) };
    return { tools: tools.slice(shown, shown + size), ...more };
  }

  async function callTool(params: Json, signal: AbortSignal): Promise<Json> {
    const args = (params["arguments"] ?? {}) as Json;
    switch (params["name"]) {
      case "echo":
        return { ...text(String(args["text"])), structuredContent: { text: args["text"] } };
      case "add": {
        const sum = Number(args["a"]) + Number(args["b"]);
        return { ...text(String(sum)), structuredContent: { sum } };
      }
      case "slow":
        await sleep(Number(args["ms"]), undefined, { signal });
        return text(`slept ${String(args["ms"])} ms`);
      case "fail":
        return { ...text(String(args["message"])), isError: true };
      case "count":
        countCount++;
        return { ...text(String(countCount)), structuredContent: { count: countCount, pid: process.pid } };
      default:
        return text(`${String(params["name"])} did ${JSON.stringify(args)}`);
    }
  }

  function initialize(params: Json): Answer {
    if (era === "modern") return unsupported(params["protocolVersion"]);
    const asked = String(params["protocolVersion"]);
    const protocolVersion = script.protocolVersion ?? (LEGACY.includes(asked) ? asked : LEGACY[0]);
    return { result: { protocolVersion, capabilities, serverInfo, ...instructionsOf(script) } };
  }

  async function answerOf(method: string, params: Json, signal: AbortSignal): Promise<Answer> {
    switch (method) {
      case "initialize":
        return initialize(params);
      case "server/discover":
        return { result: { supportedVersions: [MODERN], capabilities, ...instructionsOf(script) } };
      case "ping":
        return { result: {} };
      case "tools/list":
        return { result: listTools(params["cursor"]) };
      case "tools/call":
        return { result: await callTool(params, signal) };
      default:
        return { error: { code: -32601, message: `Method not found: ${method}` } };
    }
  }

  return {
    /** Rejects if the signal aborts. */
    async answer(request: Message, signal: AbortSignal): Promise<Answer> {
      const method = request.method ?? "";
      // A legacy server knows nothing of the modern era: to it, discover is a method like any other that it lacks.
      if (era === "legacy" && method === "server/discover") {
        return { error: { code: -32601, message: `Method not found: ${method}` } };
      }
      if (era === "modern" && method !== "initialize" && !isModern(request)) return unsupported(undefined);
      return answerOf(method, request.params ?? {}, signal);
    },
    /** A modern result says that it is complete, who made it, and how long a list holds. */
    dress(request: Message, result: unknown): unknown {
      if (!isModern(request) || typeof result !== "object" || result === null) return result;
      const cache = LISTS.has(request.method ?? "") ? { ttlMs: 0, cacheScope: "private" } : {};
      const dressed = { resultType: "complete", ...cache, ...result } as Json;
      return { ...dressed, _meta: { [`${META}serverInfo`]: serverInfo, ...(dressed["_meta"] as Json) } };
    },
  };
}

export function text(value: string): Json {
  return { content: [{ type: "text", text: value }] };
}

function instructionsOf(script: EvilScript): Json {
  return script.instructions === undefined ? {} : { instructions: script.instructions };
}

function unsupported(requested: unknown): Answer {
  const data = { supported: [MODERN], requested };
  return { error: { code: -32022, message: "Unsupported protocol version", data } };
}
