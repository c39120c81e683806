import { createBrowseComponents } from "./browse-components.ts";
import { createDescribeWorkflow } from "./describe-workflow.ts";
import { createExecute, type Execute } from "./execute.ts";
import type { GatewayParts } from "../gateway.ts";
import { createListLibrary } from "./list-library.ts";
import type { MetaTool } from "./meta-tool.ts";
import { createSaveToLibrary } from "./save-to-library.ts";

export interface MetaTools {
  /** In the order in which they are listed. */
  readonly all: readonly MetaTool[];
  readonly execute: Execute;
}

export function createMetaTools(parts: GatewayParts): MetaTools {
  const execute = createExecute(parts);
  const all = [
    createBrowseComponents(parts),
    createListLibrary(parts),
    createDescribeWorkflow(parts),
    execute,
    createSaveToLibrary(parts),
  ];
  return { all, execute };
}
