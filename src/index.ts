/** The public API. Everything else may change without notice. */
import { openApp } from "./app.ts";
import { formatProblem } from "./config/problem.ts";
import { RepertoireError } from "./core/errors.ts";
import type { Gateway as GatewayFace } from "./gateway/gateway.ts";
import { openConfigSource } from "./inputs.ts";
import { createLog } from "./log.ts";

export { RepertoireError } from "./core/errors.ts";
export { VERSION } from "./version.ts";
export type { ToolError, ToolErrorCode } from "./core/errors.ts";
export type { ToolResult } from "./core/result.ts";
export type { ToolAnswer, ToolDefinition } from "./core/tool.ts";

export interface GatewayOptions {
  /** The config file; otherwise the one that `repertoire config path` names. */
  readonly configPath?: string;
  /** The home folder; otherwise REPERTOIRE_HOME or the XDG data folder. */
  readonly home?: string;
  /** The project folder, in place of the current one. */
  readonly cwd?: string;
}

/** A gateway in this process. */
export interface Gateway extends GatewayFace {
  close(): Promise<void>;
}

/** Opens a gateway without a transport, for a program that wants its tools directly. Throws `RepertoireError`. */
export async function createGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const opened = await openConfigSource(options);
  if (!opened.ok) {
    throw new RepertoireError("CONFIG_INVALID", opened.problems.map(formatProblem).join("\n"));
  }
  const config = opened.source;
  const { level, file } = config.current().log;
  const log = createLog({ level, file, secrets: config.current().secrets });
  const app = await openApp({ config, log });
  // Its tool definitions are asked for without waiting, and what was kept is among them.
  await app.freshenLibrary();
  return {
    ...app.gateway,
    async close() {
      config.close();
      await app.close();
      await log.close();
    },
  };
}
