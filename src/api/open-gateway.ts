/** Opens a gateway in the process of the program that uses it. */
import { openApp, openInputsOf, type App, type ProgramTools } from "../app/app.ts";
import type { Config, ServerConfig } from "../config/config.ts";
import { locateStore } from "../config/locate-store.ts";
import { formatProblem } from "../config/problem.ts";
import { reserveServer } from "../config/reserved-server.ts";
import type { ConfigSource } from "../config/source.ts";
import { RepertoireError } from "../core/errors.ts";
import { LOG_LEVELS } from "../core/log.ts";
import { openConfigSource } from "../secrets/inputs.ts";
import { createLog, type ConfigurableLog } from "../telemetry/log.ts";
import { createArgumentCheck, type ArgumentCheck } from "../sandbox/schema/argument-check.ts";
import { createProgramGateway } from "./program-gateway.ts";
import { createProgramSource } from "./program-source.ts";
import type { Gateway, GatewayOptions } from "./public-gateway.ts";
import { readStaticTools, refusal, type StaticTools } from "./static-tools.ts";

/** Throws `RepertoireError` where the config, the home or the static tools cannot be used. */
export async function openGateway(options: GatewayOptions | null): Promise<Gateway> {
  const { log: sink, configPath, home, cwd, tools, staticTools, toolsNamespace } = options ?? {};
  requireLevel(sink);
  const place = textsOf({ configPath, home, cwd });
  const statics = readStaticTools({ tools, staticTools, ...textsOf({ toolsNamespace }) });
  const located = await locateStore(place);
  const opened = await openConfigSource(place, located.ok ? openInputsOf(located) : undefined);
  if (!opened.ok) {
    throw new RepertoireError("CONFIG_INVALID", opened.problems.map(formatProblem).join("\n"));
  }
  const config = reserveNamespace(opened.source, statics);
  const log = openLog(config.current(), sink);
  opened.source.subscribe((event) => {
    const taken = event.kind === "changed" ? serverWithNamespace(event.config, statics) : undefined;
    if (taken !== undefined) log.warn("server.reserved", { server: taken.id, hint: FREE_NAMESPACE });
  });
  const argumentCheck = createArgumentCheck();
  let app: Awaited<ReturnType<typeof openApp>> | undefined;
  const close = async (): Promise<void> => {
    config.close();
    await app?.close();
    await argumentCheck.close();
    await log.close();
  };
  try {
    app = await openApp({ config, log, program: programOf(statics, argumentCheck), isEmbedded: true });
    requireAdmitted(app, statics);
    // Its tool definitions are asked for without waiting, and what was kept is among them.
    await app.freshenLibrary();
    return createProgramGateway({ app, staticTools: statics, close });
  } catch (error) {
    await close();
    throw error;
  }
}

function programOf(statics: StaticTools, check: ArgumentCheck): ProgramTools | undefined {
  if (statics.tools.length === 0) return undefined;
  const names = statics.tools.map(({ definition }) => definition.name);
  return { source: createProgramSource(statics, check), names };
}

/** A server that has the namespace of the static tools is refused, and one that comes later is not there. */
function reserveNamespace(source: ConfigSource, { namespace, tools }: StaticTools): ConfigSource {
  if (tools.length === 0) return source;
  const taken = serverWithNamespace(source.current(), { namespace, tools });
  if (taken === undefined) return reserveServer(source, namespace);
  source.close();
  const why = `their namespace ${namespace} is the id of the server ${JSON.stringify(taken.key)} in the config`;
  throw refusal(why, FREE_NAMESPACE);
}

const FREE_NAMESPACE = "Rename the server in the config, or choose another toolsNamespace.";

/** One that would be started. */
function serverWithNamespace(config: Config, { namespace, tools }: StaticTools): ServerConfig | undefined {
  if (tools.length === 0) return undefined;
  return config.servers.find(({ id, enabled, trusted }) => id === namespace && enabled && trusted);
}

/** What the registry did not admit whole, such as a schema that cannot be used. */
function requireAdmitted({ registry }: App, { namespace, tools }: StaticTools): void {
  const [first] =
    tools.length === 0 ? [] : registry.catalogue().rejected.filter(({ source }) => source === namespace);
  if (first !== undefined) throw refusal(`${first.name}: ${first.reason}`);
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
