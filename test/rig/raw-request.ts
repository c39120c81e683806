/** Requests as they go on the wire, for tests that talk without the SDK. */

/** What makes a request one of the modern era. */
export const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

export function request(id: number | string, method: string, params: object = {}) {
  return { jsonrpc: "2.0", id, method, params };
}

export function call(id: number | string, name: string, args: object = {}, meta: object = {}) {
  return request(id, "tools/call", { name, arguments: args, _meta: meta });
}
