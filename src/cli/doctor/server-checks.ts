/** Starts the servers and reports each one: protocol, tools, token cost, or the fix for its failure. */
import { countOf } from "../terminal/wording.ts";
import type { ServerView } from "../../app/app.ts";
import type { ServerConfig } from "../../config/config.ts";
import { didYouMean, nearest } from "../../text/nearest.ts";
import { describeStarting } from "../../process/starting.ts";
import { commandLine } from "../command-line.ts";
import { reportOf, type Check, type ServerReport } from "./check.ts";
import { reportUnusable } from "./config-checks.ts";
import { cureFor, type CurePlace } from "./cures.ts";
import { openSession } from "../session.ts";
import type { GlobalOptions } from "../global-options.ts";
import { startServersVisibly } from "../commands/servers/start-servers.ts";

/** The servers that were named, by key or id, or all; and a red line for each name that is none. */
export function chooseServers(
  configured: readonly ServerConfig[],
  names: readonly string[],
  options: GlobalOptions,
): { readonly ids: readonly string[]; readonly unknown: readonly Check[] } {
  if (names.length === 0) return { ids: configured.map(({ id }) => id), unknown: [] };
  const find = (name: string) => configured.find(({ key, id }) => key === name || id === name);
  const ids = new Set(names.flatMap((name) => find(name)?.id ?? []));
  const unknown = names
    .filter((name) => find(name) === undefined)
    .map((name) => complainUnknown(name, configured, options));
  return { ids: [...ids], unknown };
}

function complainUnknown(name: string, configured: readonly ServerConfig[], options: GlobalOptions): Check {
  const near = nearest(
    name,
    configured.map(({ id }) => id),
  );
  const [best] = near;
  const words = best === undefined ? ["servers"] : ["doctor", "--servers", best];
  return {
    name: "server",
    state: "failed",
    message: `there is no such server.${didYouMean(near)}`,
    cure: commandLine(words, options),
    server: reportOf(name),
  };
}

/** Needs a valid config, home and store, because it opens the gateway. It asks no questions. */
export async function startServers(ids: readonly string[], options: GlobalOptions): Promise<Check[]> {
  if (ids.length === 0) return [];
  const session = await openSession(options, "silent");
  try {
    const { servers, limits } = session.config.current();
    const place = { options, limits };
    const views = await startServersVisibly(session.app, ids);
    const checks: Check[] = [];
    for (const view of views) {
      const server = servers.find(({ id }) => id === view.id);
      if (server === undefined || view.state === "disabled") continue;
      const cost = view.state === "ready" ? await session.app.tokensOfServer(view.id) : undefined;
      checks.push(checkServer(view, server, cost?.tokens, place));
    }
    return checks;
  } finally {
    await session.close();
  }
}

function checkServer(
  view: ServerView,
  server: ServerConfig,
  tokens: number | undefined,
  place: CurePlace,
): Check {
  const { id, state } = view;
  const name = "server";
  const { options } = place;
  if (state === "untrusted") {
    const cure = commandLine(["trust"], options);
    return { name, state: "warning", message: "is not trusted yet", cure, server: reportOf(id) };
  }
  if (state === "needs_input" || state === "unusable") return reportUnusable(server, place);
  const report = describeView(view, tokens);
  if (state !== "ready" || view.cause !== undefined) {
    const isStarting = state === "connecting" || state === "starting";
    const said = view.starting === undefined ? "is still starting" : `is ${describeStarting(view.starting)}`;
    const message = view.error ?? (isStarting ? said : "does not answer");
    // One that is still starting has used up more time than the limit of a start without signs of work.
    const cause = view.cause ?? (isStarting ? "connect_timeout" : "lost");
    const cure = cureFor(cause, server, place);
    const advice = [view.hint, cure.advice].filter((text) => text !== undefined).join(" ");
    return {
      name,
      state: "failed",
      message,
      ...cure,
      ...(advice !== "" && { advice }),
      server: { ...report, cause },
    };
  }
  const message = describeServer(report).join(", ");
  if (view.findings.length === 0) return { name, state: "ok", message, server: report };
  return {
    name,
    state: "warning",
    message,
    cure: commandLine(["disable", id], options),
    advice: `Check what it lists before a model reads it; "tools": {"suspicious": "block"} in the config hides it.`,
    server: report,
  };
}

function describeView(view: ServerView, tokens: number | undefined): ServerReport {
  const { id, era, protocolVersion, toolCount, resourceCount, promptCount } = view;
  const { connectMs, latencyMs, rejected, findings, stderr } = view;
  return {
    id,
    ...(era !== undefined && { era }),
    ...(protocolVersion !== undefined && { protocolVersion }),
    ...(toolCount !== undefined && { toolCount }),
    ...(resourceCount !== undefined && { resourceCount }),
    ...(promptCount !== undefined && { promptCount }),
    ...(tokens !== undefined && { tokens }),
    ...(connectMs !== undefined && { startMs: Math.round(connectMs) }),
    ...(latencyMs !== undefined && { latencyMs: Math.round(latencyMs * 10) / 10 }),
    rejected,
    findings,
    ...(view.cause !== undefined && stderr !== undefined && { stderr }),
  };
}

/** What there is to say of a server that is up, always in the same order and number. */
export function describeServer(report: ServerReport): string[] {
  const { era = "", protocolVersion = "", toolCount = 0, resourceCount = 0, promptCount = 0 } = report;
  const { tokens, startMs = 0, latencyMs } = report;
  const others = [
    ...(resourceCount === 0 ? [] : [countOf(resourceCount, "resource")]),
    ...(promptCount === 0 ? [] : [countOf(promptCount, "prompt")]),
  ];
  return [
    `${era} ${protocolVersion}`,
    [countOf(toolCount, "tool"), ...others].join(" + "),
    tokens === undefined ? "tokens unknown" : `${tokens.toLocaleString("en-US")} tokens`,
    `started in ${startMs} ms`,
    latencyMs === undefined ? "no answer to a ping" : `answers in ${latencyMs} ms`,
  ];
}
