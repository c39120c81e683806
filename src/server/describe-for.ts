import type { GatewayDescription } from "../gateway/gateway.ts";
import type { McpServerDeps } from "./mcp-server.ts";

/** A server that is fronted alone and cannot be reached is told in place of its instructions; its calls say so too. */
export async function describeFor({ gateway, log }: McpServerDeps): Promise<GatewayDescription> {
  const described = await gateway.describe().catch((error: unknown) => {
    // Thrown on: the SDK answers that the request failed, and does not say why.
    log.error("server.describe.failed", { error });
    throw error;
  });
  if (described.success) return described.data;
  const { message } = described.error;
  log.warn("server.describe.failed", { message });
  return {
    serverInfo: { name: "repertoire", version: "0" },
    capabilities: { tools: {} },
    instructions: message,
  };
}
