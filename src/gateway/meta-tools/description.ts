import type { GatewayDescription } from "../gateway.ts";

const INSTRUCTIONS =
  "Repertoire is one gateway to many MCP servers, and it keeps what worked. Search with browse_components, look into the library with " +
  "list_library, run TypeScript against the tools with execute, and keep what worked with save_to_library.";

/** What clients are told of the gateway itself. */
export function describeGateway(version: string): GatewayDescription {
  return {
    serverInfo: { name: "repertoire", title: "Repertoire", version },
    capabilities: {
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      prompts: { listChanged: true },
      completions: {},
      logging: {},
    },
    instructions: INSTRUCTIONS,
  };
}
