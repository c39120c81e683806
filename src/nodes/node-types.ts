/**
 * The built-in node types that act on the world. None of them throws, and none does what the policy of the moment
 * forbids.
 */
import { messageOf } from "../core/errors.ts";
import { fail, succeed } from "../core/result.ts";
import type { NodeType } from "../core/tool.ts";
import type { Resolve } from "../net/address-policy.ts";
import { createHttp } from "./http/http.ts";
import { createLlm } from "./llm/llm.ts";
import type { NodePolicy } from "./policy.ts";
import { createReadFile } from "./files/read-file.ts";
import { createShell, type StartProcess } from "./shell/shell.ts";
import { createWriteFile } from "./files/write-file.ts";

export type { NodePolicy } from "./policy.ts";

export interface NodeDeps {
  /** Asked for with every call. */
  readonly policy: () => NodePolicy;
  /** Of the gateway, for the User-Agent. */
  readonly version: string;
  /** How commands are started so that they end with the gateway. Without it they outlive a gateway that is killed. */
  readonly startProcess?: StartProcess;
  /** How host names become addresses. */
  readonly resolve?: Resolve;
}

export function createNodeTypes(deps: NodeDeps): readonly NodeType[] {
  const { policy, version, resolve, startProcess } = deps;
  return [
    createHttp({ policy, version, resolve }),
    createReadFile(policy),
    createWriteFile(policy),
    createLlm({ policy, version, resolve }),
    createShell({ policy, start: startProcess }),
  ].map(withoutThrow);
}

/**
 * What a node did not foresee is a failure of the node and not of the run. Whether anything happened is then not known.
 */
function withoutThrow(node: NodeType): NodeType {
  const { name } = node.definition;
  return {
    ...node,
    // A check that breaks has found nothing out; the call decides.
    precheck: async (params) => (await node.precheck?.(params).catch(() => undefined)) ?? succeed(undefined),
    async call(params, context) {
      try {
        return await node.call(params, context);
      } catch (error) {
        const message = `The node type ${name} failed inside: ${messageOf(error)}`;
        return fail(
          "TOOL_EXECUTION_FAILED",
          message,
          node.isRepeatable(params) ? {} : { mayHaveHappened: true },
        );
      }
    },
  };
}
