/** A client of either era, of either generation of the SDK, over either transport, that notes what it is asked and told. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as FirstHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { onTestFinished } from "vitest";

const CAPABILITIES = { elicitation: {}, sampling: {}, roots: {} };
const LOG_LEVEL = "io.modelcontextprotocol/logLevel";

export type ClientKind = "old" | "new" | "first";

/** Where the gateway is. */
export type Way =
  | { readonly url: URL; readonly headers: Record<string, string> }
  | { readonly command: string; readonly args: string[]; readonly env: Record<string, string> };

interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: number) => void;
  readonly logLevel?: string;
}

export interface CellClient {
  readonly name: string;
  readonly questions: { readonly method: string; readonly text: string }[];
  readonly notices: { readonly method: string; readonly params: Record<string, unknown> }[];
  /** Awaited before a question is answered. */
  beforeAnswer: (text: string) => Promise<void>;
  /** The text of a tool's answer; an error is thrown. */
  call(tool: string, key: string, options?: CallOptions): Promise<string>;
  toolNames(): Promise<string[]>;
  /** From now on it wants to hear of changed lists, of the log, and of these resources. */
  listen(uris: readonly string[]): Promise<void>;
}

type Params = Record<string, unknown>;
interface Content {
  readonly isError?: boolean;
  readonly content: readonly { readonly text?: string }[];
}

/** Says its own name in every answer, so that an answer of another client is told apart. */
async function answer(self: CellClient, method: string, params: Params): Promise<Params> {
  const text = method === "sampling/createMessage" ? JSON.stringify(params["messages"]) : params["message"];
  self.questions.push({ method, text: String(text) });
  await self.beforeAnswer(String(text));
  const words = `${self.name} on ${String(text)}`;
  if (method === "roots/list") return { roots: [{ uri: `file:///${self.name}` }] };
  if (method === "elicitation/create") return { action: "accept", content: { words } };
  return { role: "assistant", model: "scripted", content: { type: "text", text: words } };
}

function textOf({ isError, content }: Content): string {
  const text = content.map((item) => item.text ?? "").join("");
  if (isError === true) throw new Error(text);
  return text;
}

/** Connects a client; it ends with the test. */
export function connectCellClient(kind: ClientKind, name: string, way: Way): Promise<CellClient> {
  return kind === "first" ? connectFirst(name, way) : connectSecond(kind, name, way);
}

function createSelf(name: string, own: Pick<CellClient, "call" | "toolNames" | "listen">): CellClient {
  return { name, questions: [], notices: [], beforeAnswer: async () => {}, ...own };
}

async function connectSecond(kind: "old" | "new", name: string, way: Way): Promise<CellClient> {
  const pin = { versionNegotiation: { mode: { pin: "2026-07-28" } } } as const;
  const client = new Client(
    { name, version: "1.0.0" },
    { capabilities: CAPABILITIES, ...(kind === "new" && pin) },
  );
  const self = createSelf(name, {
    async call(tool, key, { signal, onProgress, logLevel } = {}) {
      const level = kind === "new" && logLevel !== undefined ? { _meta: { [LOG_LEVEL]: logLevel } } : {};
      const answered = await client.callTool(
        { name: tool, arguments: { key }, ...level },
        {
          ...(signal !== undefined && { signal }),
          ...(onProgress !== undefined && { onprogress: ({ progress }) => onProgress(progress) }),
        },
      );
      return textOf(answered as Content);
    },
    toolNames: async () =>
      (await client.listTools(undefined, { cacheMode: "bypass" })).tools.map((tool) => tool.name),
    async listen(uris) {
      if (kind === "new") {
        await client.listen({ toolsListChanged: true, resourceSubscriptions: [...uris] });
        return;
      }
      await client.setLoggingLevel("info");
      for (const uri of uris) await client.subscribeResource({ uri });
    },
  });
  for (const method of ["elicitation/create", "sampling/createMessage", "roots/list"] as const) {
    client.setRequestHandler(method, ({ params }) => answer(self, method, params ?? {}) as never);
  }
  for (const method of [
    "notifications/message",
    "notifications/tools/list_changed",
    "notifications/resources/updated",
  ] as const) {
    client.setNotificationHandler(method, ({ params }) => {
      self.notices.push({ method, params: params ?? {} });
    });
  }
  onTestFinished(() => client.close());
  await client.connect(
    "url" in way
      ? new StreamableHTTPClientTransport(way.url, { requestInit: { headers: way.headers } })
      : new StdioClientTransport({ ...way, stderr: "ignore" }),
  );
  return self;
}

async function connectFirst(name: string, way: Way): Promise<CellClient> {
  if (!("url" in way)) throw new Error("the first generation is tried over HTTP alone");
  const client = new FirstClient({ name, version: "1.0.0" }, { capabilities: CAPABILITIES });
  const self = createSelf(name, {
    async call(tool, key, { signal, onProgress } = {}) {
      const answered = await client.callTool({ name: tool, arguments: { key } }, undefined, {
        ...(signal !== undefined && { signal }),
        ...(onProgress !== undefined && { onprogress: ({ progress }) => onProgress(progress) }),
      });
      return textOf(answered as Content);
    },
    toolNames: async () => (await client.listTools()).tools.map((tool) => tool.name),
    async listen(uris) {
      await client.setLoggingLevel("info");
      for (const uri of uris) await client.subscribeResource({ uri });
    },
  });
  client.fallbackRequestHandler = async ({ method, params }) => answer(self, method, params ?? {});
  client.fallbackNotificationHandler = async ({ method, params }) => {
    self.notices.push({ method, params: params ?? {} });
  };
  onTestFinished(() => client.close());
  await client.connect(new FirstHttp(way.url, { requestInit: { headers: way.headers } }));
  return self;
}
