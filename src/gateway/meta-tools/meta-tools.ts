import { cut } from "../../text/cut.ts";
import { createBrowseComponents } from "./browse-components.ts";
import { describeServers } from "./browse-hint.ts";
import { createDescribeWorkflow } from "./describe-workflow.ts";
import { createExecute, type Execute } from "./execute.ts";
import type { ToolDefinition } from "../../core/tool.ts";
import type { GatewayDeps } from "../gateway-deps.ts";
import { createListLibrary } from "./list-library.ts";
import type { MetaTool } from "./meta-tool.ts";
import { createSaveToLibrary } from "./save-to-library.ts";
import { SKILLS_EXTENSION, TASKS_EXTENSION, UI_EXTENSION, UI_SETTINGS } from "../../core/declared.ts";
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

/** Longer ones are cut by clients; one of them keeps 2 KB. */
export const INSTRUCTIONS_MAX = 2_000;

/** Which servers there are, and the loop: for clients that look for tools by themselves, and load none before. */
function instruct(servers: readonly string[]): string {
  return `${cut(describeServers(servers), INSTRUCTIONS_MAX - LOOP.length - 1)}\n${LOOP}`;
}

const LOOP = `1. browse_components finds their tools by what you want to do.
2. execute runs TypeScript against them: await mcp.notes.add({...}). Only what it returns comes back.
3. execute {resume} goes on with a run that stopped, and repeats no call.
4. save_to_library keeps what worked as a tool; list_library shows it.`;

/** What a client is told of the gateway. */
interface Told {
  readonly version: string;
  /** The ids of the servers that it may use. */
  readonly servers: readonly string[];
  /** Whether a tool has a page that it could show. */
  readonly hasApps: boolean;
}

export function describeGateway({ version, servers, hasApps }: Told): GatewayDescription {
  return {
    serverInfo: { name: "repertoire", title: "Repertoire", version },
    capabilities: {
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      prompts: { listChanged: true },
      completions: {},
      logging: {},
      extensions: {
        [TASKS_EXTENSION]: {},
        [SKILLS_EXTENSION]: { directoryRead: true },
        ...(hasApps && { [UI_EXTENSION]: UI_SETTINGS }),
      },
    },
    instructions: instruct(servers),
  };
}
