import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { CallContext, NodeType } from "../core/tool.ts";
import { createNodeTypes, type NodeDeps, type NodePolicy } from "./node-types.ts";

export const CLOSED: NodePolicy = { allowShell: false, allowPrivateHttp: false, fileRoots: [] };

export function createNode(
  name: string,
  policy: Partial<NodePolicy>,
  deps: Partial<NodeDeps> = {},
): NodeType {
  const nodes = createNodeTypes({ policy: () => ({ ...CLOSED, ...policy }), version: "1.2.3", ...deps });
  return nodes.find((node) => node.definition.name === name)!;
}

export function createContext(more: Partial<CallContext> = {}): CallContext {
  return { traceId: "t", signal: new AbortController().signal, ...more };
}

/** A folder on the real disk, gone when the test is. */
export function createFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "repertoire-nodes-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
