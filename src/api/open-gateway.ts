/** Opens a gateway in the process of the program that uses it. */
import { openApp, openInputsOf } from "../app/app.ts";
import type { Config } from "../config/config.ts";
import { locateStore } from "../config/locate-store.ts";
import { formatProblem } from "../config/problem.ts";
import { RepertoireError } from "../core/errors.ts";
import { LOG_LEVELS } from "../core/log.ts";
import { openConfigSource } from "../secrets/inputs.ts";
import { createLog, type ConfigurableLog } from "../telemetry/log.ts";
import { createArgumentCheck } from "../sandbox/schema/argument-check.ts";
import { createProgramGateway } from "./program-gateway.ts";
import type { Gateway, GatewayOptions } from "./public-gateway.ts";
import { createStaticTools } from "./static-tools.ts";

/** Throws `RepertoireError` where the config, the home or the static tools cannot be used. */
export async function openGateway(options: GatewayOptions | null): Promise<Gateway> {
  const { staticTools: given, log: sink, configPath, home, cwd } = options ?? {};
  requireLevel(sink);
  const place = textsOf({ configPath, home, cwd });
  const argumentCheck = createArgumentCheck();
  const staticTools = createStaticTools(given ?? [], argumentCheck);
  const located = await locateStore(place);
  const opened = await openConfigSource(place, located.ok ? openInputsOf(located) : undefined);
  if (!opened.ok) {
    throw new RepertoireError("CONFIG_INVALID", opened.problems.map(formatProblem).join("\n"));
  }
  const config = opened.source;
  const log = openLog(config.current(), sink);
  const staticNames = staticTools.definitions.map(({ name }) => name);
  let app: Awaited<ReturnType<typeof openApp>> | undefined;
  const close = async (): Promise<void> => {
    config.close();
    await app?.close();
    await argumentCheck.close();
    await log.close();
  };
  try {
    app = await openApp({ config, log, staticNames, isEmbedded: true });
    // Its tool definitions are asked for without waiting, and what was kept is among them.
    await app.freshenLibrary();
    return createProgramGateway({ app, staticTools, close });
  } catch (error) {
    await close();
    throw error;
  }
}

/** Callers without types pass null for what they leave out, and anything else by mistake. */
function textsOf(given: Readonly<Record<string, unknown>>): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined || value === null) continue;
    if (typeof value !== "string")
      throw new RepertoireError("CONFIG_INVALID", `The option ${key} must be a string.`);
    texts[key] = value;
  }
  return texts;
}

function requireLevel(sink: unknown): void {
  if (sink === undefined || sink === null || typeof sink === "function") return;
  if (LOG_LEVELS.some((level) => level === sink)) return;
  throw new RepertoireError(
    "CONFIG_INVALID",
    `The option log must be a function or one of ${LOG_LEVELS.join(", ")}.`,
  );
}

/** A library prints nothing unless it is asked to. */
function openLog({ log, secrets }: Config, sink: GatewayOptions["log"]): ConfigurableLog {
  if (typeof sink === "function") return createLog({ level: "debug", secrets, receive: sink });
  if (typeof sink === "string") return createLog({ level: sink, secrets });
  const { level, file } = log;
  return createLog({ level: file === undefined ? "silent" : level, file, secrets });
}
