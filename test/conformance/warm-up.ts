/** What a modern client of the suite declares where it is given the least time. */
const CAPABILITIES = { elicitation: {} };
const REVISION = "2026-07-28";
const TOOL = "test_simple_text";

/**
 * Makes one call as a client that can be asked. The suite gives the first such call 600 ms; behind the gateway a server of the
 * legacy era has a process for such clients, and how soon a process starts is a matter of the machine.
 */
export async function warmUp(url: string, token: string, tool = TOOL): Promise<void> {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": REVISION,
      "mcp-method": "tools/call",
      "mcp-name": tool,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, ...PARAMS } }),
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(`the first call through ${url} failed: ${response.status} ${answer}`);
}

const PARAMS = {
  arguments: {},
  _meta: {
    "io.modelcontextprotocol/protocolVersion": REVISION,
    "io.modelcontextprotocol/clientCapabilities": CAPABILITIES,
  },
};
