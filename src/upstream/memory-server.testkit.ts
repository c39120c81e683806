import { METHOD_NOT_FOUND } from "../core/rpc-codes.ts";
import type { JsonObject } from "../core/json.ts";
import type { Transport, JsonRpcMessage } from "./transport/transport.ts";
import { createTransportPair, type TestTransport } from "./transport/transport-pair.testkit.ts";

type Handler = (
  params: JsonObject,
  server: MemoryServer,
  id: unknown,
) => object | undefined | Promise<object | undefined>;

/** An MCP server in memory; each method answers as told, with a result or an `{error}`, or not at all. */
export class MemoryServer {
  readonly heard: JsonRpcMessage[] = [];
  readonly handlers: Record<string, Handler> = {
    initialize: () => ({
      protocolVersion: "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name: "memory" },
    }),
    "tools/list": () => ({ tools: [{ name: "echo", inputSchema: { type: "object" } }] }),
    "tools/call": (params) => ({ content: [{ type: "text", text: JSON.stringify(params["arguments"]) }] }),
  };
  connectCount = 0;
  transport: TestTransport | undefined;

  /** A new connection to it, as starting its process would give. */
  connect(): Transport {
    this.connectCount++;
    const [client, server] = createTransportPair();
    this.transport = server;
    server.onmessage = (message) => void this.#receive(server, message);
    return client;
  }

  notify(method: string, params: JsonObject = {}): void {
    void this.transport?.send({ jsonrpc: "2.0", method, params });
  }

  /** Asks the client something and waits for its answer. */
  ask(method: string, params: JsonObject = {}): Promise<JsonRpcMessage> {
    const id = `ask-${this.heard.length}`;
    void this.transport?.send({ jsonrpc: "2.0", id, method, params });
    return new Promise((resolve) => {
      const look = (): void => {
        const answer = this.heard.find((message) => message["id"] === id);
        if (answer === undefined) setImmediate(look);
        else resolve(answer);
      };
      look();
    });
  }

  /** Dies, as a crashed process does. */
  async crash(): Promise<void> {
    await this.transport?.close();
  }

  async #receive(transport: TestTransport, message: JsonRpcMessage): Promise<void> {
    this.heard.push(message);
    const { id, method, params } = message as { id?: unknown; method?: string; params?: JsonObject };
    if (method === undefined || id === undefined) return;
    const answer = await this.handlers[method]?.(params ?? {}, this, id);
    if (answer === undefined && this.handlers[method] !== undefined) return;
    const body =
      answer === undefined
        ? { error: { code: METHOD_NOT_FOUND, message: `unknown method ${method}` } }
        : bodyOf(answer);
    await transport.send({ jsonrpc: "2.0", id, ...body }).catch(() => {});
  }
}

/** What a server may ask a person. */
export function questionOf(message: string): JsonObject {
  return { message, requestedSchema: { type: "object", properties: {} } };
}

/** A task that failed has an error too, and is a result. */
function bodyOf(answer: object): object {
  return "error" in answer && !("taskId" in answer) ? answer : { result: answer };
}
