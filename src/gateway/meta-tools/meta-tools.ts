import { createBrowseComponents } from "./browse-components.ts";
import { createDescribeWorkflow } from "./describe-workflow.ts";
import { createExecute, type Execute } from "./execute.ts";
import type { ToolDefinition } from "../../core/tool.ts";
import type { GatewayDeps } from "../gateway-deps.ts";
import { createListLibrary } from "./list-library.ts";
import type { MetaTool } from "./meta-tool.ts";
import { createSaveToLibrary } from "./save-to-library.ts";
import { TASKS_EXTENSION } from "../../core/extensions.ts";
import type { GatewayDescription } from "../gateway.ts";

export interface MetaTools {
  /** In the order in which they are listed. */
  readonly all: readonly MetaTool[];
  readonly execute: Execute;
}

export function createMetaTools(deps: GatewayDeps): MetaTools {
  const execute = createExecute(deps);
  const all = [
    createBrowseComponents(deps),
    createListLibrary(deps),
    createDescribeWorkflow(deps),
    execute,
    createSaveToLibrary(deps),
  ];
  return { all, execute };
}

/** As they are listed now. */
export function defineMetaTools(deps: GatewayDeps): ToolDefinition[] {
  return createMetaTools(deps).all.map((tool) => tool.define(deps.servers(), deps.idle?.()));
}

const INSTRUCTIONS =
  "Find tools with browse_components, run TypeScript against them with execute, keep what worked with save_to_library.";

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
      extensions: { [TASKS_EXTENSION]: {} },
    },
    instructions: INSTRUCTIONS,
  };
}
