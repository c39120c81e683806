/** Streamable HTTP of an evil upstream, by hand: one POST for each message, plain JSON or an event stream, both eras. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { isModern, type Message } from "./evil-answers.ts";
import { journal, textOfMessage, type EvilServer, type Wire } from "./evil-server.ts";
import type { EvilFault, EvilHttpFault, EvilScript } from "./evil-script.ts";

const SESSION_ID = "evil-session";
const ENDLESS_EVERY_MS = 5;

export function createEvilHttp(script: EvilScript, server: EvilServer): Server {
  return createServer((request, response) => {
    // A client may leave at any time; that is no error of the rig.
    response.on("error", () => {});
    void handle(script, server, request, response);
  });
}

async function handle(
  script: EvilScript,
  server: EvilServer,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method, url, headers } = request;
  journal(script, { http: { method, url, headers } });
  const bearer = script.http?.bearer;
  if (bearer !== undefined && headers.authorization !== `Bearer ${bearer}`) {
    const challenge = { "www-authenticate": 'Bearer error="invalid_token"' };
    return void response.writeHead(401, challenge).end();
  }
  if (method !== "POST") return handleLegacyStream(script, server, request, response);
  const message = JSON.parse(await textOf(request)) as Message;
  if (isForeign(script, message, request))
    return sendJson(response, 404, JSON.stringify(errorOf("Session not found")));
  const session = script.http?.session && message.method === "initialize";
  if (session) response.setHeader("mcp-session-id", SESSION_ID);
  const isRequest = message.method !== undefined && message.id !== undefined;
  const wire = createHttpWire(script, message, response);
  // A client that leaves before the answer has cancelled it.
  response.on("close", () => {
    if (response.writableFinished || message.id === undefined) return;
    journal(script, { closed: message.id });
    server.cancel(message.id);
  });
  await server.receive(message, wire);
  // Notifications and responses have no answer of their own; 202 says that they arrived.
  if (!isRequest && !response.headersSent) response.writeHead(202).end();
}

/** GET opens the stream of a legacy session, DELETE ends the session; the modern era has neither. */
function handleLegacyStream(
  script: EvilScript,
  server: EvilServer,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  if (script.era === "modern") return void response.writeHead(405, { allow: "POST" }).end();
  if (request.method === "DELETE") return void response.writeHead(200).end();
  if (request.method !== "GET") return void response.writeHead(405).end();
  openEvents(response, {});
  const close = server.openStream({
    disturb: async () => false,
    async write(messages) {
      for (const message of messages) response.write(eventOf(message));
    },
  });
  response.on("close", close);
}

function isForeign(script: EvilScript, message: Message, request: IncomingMessage): boolean {
  if (!script.http?.session || message.method === "initialize" || isModern(message)) return false;
  return message.method !== "server/discover" && request.headers["mcp-session-id"] !== SESSION_ID;
}

function createHttpWire(script: EvilScript, request: Message, response: ServerResponse): Wire {
  let eventCount = 0;

  /** False if the script cuts the stream at this event. */
  async function sendEvent(message: Message, fault: EvilFault): Promise<boolean> {
    const http = fault.http ?? {};
    const event = eventOf(message, fault);
    const cut = http.cutSseAfter !== undefined && eventCount++ >= http.cutSseAfter;
    await put(response, cut ? half(event) : event);
    if (cut) response.destroy();
    return !cut;
  }

  return {
    disturb: async (fault) => fault.http !== undefined && answerBadly(fault.http, response),
    async write(messages, fault, cut = false) {
      if (response.destroyed || response.writableEnded) return;
      const http = fault.http ?? {};
      const answer = messages.at(-1);
      const isAnswer = answer?.method === undefined;
      const streamed = script.http?.sse ?? http.sse ?? http.cutSseAfter !== undefined;
      if (cut) return put(response, half(JSON.stringify(answer)));
      if (answer && isAnswer && messages.length === 1 && !streamed && !response.headersSent) {
        return sendJson(response, statusOf(request, answer, fault), textOfMessage(answer, fault), http);
      }
      if (!response.headersSent) openEvents(response, http);
      for (const message of messages) if (!(await sendEvent(message, fault))) return;
      if (isAnswer) await end(response);
    },
  };
}

/** What needs no MCP at all; true if the answer is over with it. */
function answerBadly(http: EvilHttpFault, response: ServerResponse): boolean {
  const headers: Record<string, string> = { ...http.headers };
  if (http.retryAfter !== undefined) headers["retry-after"] = String(http.retryAfter);
  if (http.contentType !== undefined) headers["content-type"] = http.contentType;
  if (http.reset) {
    response.socket?.resetAndDestroy();
  } else if (http.endlessSse) {
    openEvents(response, http);
    const timer = setInterval(() => response.write(": still here\n\n"), ENDLESS_EVERY_MS);
    response.on("close", () => clearInterval(timer));
  } else if (http.emptySse) {
    openEvents(response, http);
    response.end(": nothing to say\n\n");
  } else if (http.redirect !== undefined) {
    response.writeHead(http.status ?? 302, { ...headers, location: http.redirect }).end();
  } else if (http.gzipBomb !== undefined) {
    const coded = { "content-type": "application/json", ...headers, "content-encoding": "gzip" };
    response.writeHead(http.status ?? 200, coded).end(gzipSync(Buffer.alloc(http.gzipBomb)));
  } else if (http.body !== undefined || http.status !== undefined) {
    response.writeHead(http.status ?? 200, headers).end(http.body ?? "");
  } else {
    return false;
  }
  return true;
}

/** The modern era maps errors of the protocol to statuses; the legacy one answers 200. */
function statusOf(request: Message, message: Message, fault: EvilFault): number {
  const code = (message["error"] as { code?: number } | undefined)?.code;
  if (code === undefined || fault.error || !isModern(request)) return 200;
  return code === -32601 ? 404 : 400;
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: string,
  http: EvilHttpFault = {},
): Promise<void> {
  const type = http.contentType ?? "application/json";
  response.writeHead(status, { "content-type": type, ...http.headers });
  return end(response, body);
}

// A client that is gone fails these; then there is nobody left to misbehave to.
function put(response: ServerResponse, text: string): Promise<void> {
  return new Promise((resolve) => response.write(text, () => resolve()));
}

function end(response: ServerResponse, text = ""): Promise<void> {
  return new Promise((resolve) => {
    response.on("close", resolve);
    response.end(text, resolve);
  });
}

function half(text: string): string {
  return text.slice(0, text.length / 2);
}

function openEvents(response: ServerResponse, http: EvilHttpFault): void {
  const type = http.contentType ?? "text/event-stream";
  response.writeHead(200, { "content-type": type, "cache-control": "no-cache", ...http.headers });
  response.flushHeaders();
}

function eventOf(message: Message, fault: EvilFault = {}): string {
  return `event: message\ndata: ${textOfMessage(message, fault)}\n\n`;
}

function errorOf(message: string): unknown {
  return { jsonrpc: "2.0", id: null, error: { code: -32001, message } };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
