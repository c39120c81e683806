/** Between node's requests and responses and those of the web platform, for what the SDK answers. */
import { goneSignal, type HttpCall } from "./http-call.ts";
import { countStream } from "./event-stream.ts";
import { UNREAD_BYTES_MAX } from "./limits.ts";

/** Without its body, which was read and parsed already. Its signal aborts when the client has gone. */
export function toWebRequest(call: HttpCall): Request {
  const { request } = call;
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(", ") : value);
  }
  // The address is not used; what the client named as host is checked long before.
  return new Request("http://localhost/mcp", {
    method: request.method ?? "POST",
    headers,
    signal: goneSignal(call),
  });
}

/** Writes an answer as it comes. A client that stops reading loses it. */
export async function pour(answer: Response, { response }: HttpCall): Promise<void> {
  if (response.destroyed || response.headersSent) return void answer.body?.cancel();
  response.writeHead(answer.status, { "Cache-Control": "no-store", ...Object.fromEntries(answer.headers) });
  if (answer.body === null) return void response.end();
  response.flushHeaders();
  if (answer.headers.get("content-type")?.startsWith("text/event-stream") === true) countStream(response);
  const reader = answer.body.getReader();
  response.once("close", () => void reader.cancel().catch(() => {}));
  for (;;) {
    const { done, value } = await reader.read();
    if (done || response.destroyed) break;
    if (response.writableLength > UNREAD_BYTES_MAX) response.destroy();
    else response.write(value);
  }
  response.end();
}
