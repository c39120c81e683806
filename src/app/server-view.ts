import type { ServerConfig } from "../config/config.ts";
import { describeIsolation } from "../process/isolation/isolation.ts";
import { lackOnlyInputs, type ConfigProblem } from "../config/problem.ts";
import { maskTransport } from "../config/values/secrets.ts";
import type { LiveProcess, LiveServer, ServerStatus } from "./live.ts";
import type { Catalogue } from "../registry/catalogue.ts";
import type { Rejection } from "../admission/admission.ts";
import type { Finding } from "../admission/findings.ts";
import type { FailureCause } from "../upstream/failure-cause.ts";
import { findStartProblem } from "../upstream/process/server-process.ts";
import type { UpstreamStatus } from "../upstream/upstream-server.ts";

/** One configured server, for people: where it is reached, how it is, what went wrong last. */
export interface ServerView {
  readonly id: string;
  readonly state:
    | "disabled"
    | "untrusted"
    | "unusable"
    | "needs_input"
    | "idle"
    | "connecting"
    | "starting"
    | "ready"
    | "failed";
  /** Of one that is starting: for how long, and the last line of its stderr. */
  readonly starting?: NonNullable<UpstreamStatus["starting"]>;
  /** The inputs that it waits for. */
  readonly missingInputs?: readonly string[];
  /** What is wrong with its entry in the config, each with its place and cure. */
  readonly problems?: readonly ConfigProblem[];
  /** The command or address, without secrets. */
  readonly target: string;
  /** What it may reach, of one that runs in a sandbox; without secrets. */
  readonly sandbox?: string;
  readonly era?: string;
  readonly protocolVersion?: string;
  /** Undefined while nothing is known. */
  readonly toolCount?: number;
  readonly resourceCount?: number;
  readonly promptCount?: number;
  /** What was not admitted, an entry or a field of one, and why. */
  readonly rejected: readonly Rejection[];
  /** What looks like an attack in what the server lists. */
  readonly findings: readonly Omit<Finding, "server">[];
  /** How long start and handshake took. */
  readonly connectMs?: number;
  /** How long one more question took, after that. */
  readonly latencyMs?: number;
  readonly pid?: number;
  readonly error?: string;
  /** Why it is not available now. */
  readonly cause?: ViewCause;
  readonly stderr?: readonly string[];
  /** The cure, where the last lines of its stderr tell. */
  readonly hint?: string;
  /** The gateways on this home that have started it or tried to, oldest first; absent where none has. */
  readonly gateways?: readonly ServerInGateway[];
}

/** A server as another process has it. */
interface ServerInGateway {
  /** Of the gateway. */
  readonly pid: number;
  readonly serves?: "stdio" | "http";
  readonly state: string;
  /** Since when the state lasts. */
  readonly since: string;
  readonly error?: string;
  readonly said?: string;
}

/** `list_failed`: it is connected, and does not say what it offers. */
export type ViewCause = FailureCause | "list_failed";

/** `redact` takes secrets out of what the server itself said: one that fails may print what it was given. */
export function viewServer(
  server: ServerConfig,
  status: UpstreamStatus | undefined,
  catalogue: Catalogue,
  redact: (text: string) => string = (text) => text,
): ServerView {
  const failure = catalogue.failed.find(({ source }) => source === server.id);
  const isKnown =
    failure === undefined ? !catalogue.pending.includes(server.id) : catalogue.stale.includes(server.id);
  const { lastError, era, protocolVersion, connectMs, pid } = status ?? {};
  const state = stateOf(server, status, failure !== undefined);
  const hasNoList = state === "ready" && failure !== undefined;
  // A problem in the config explains everything; that the server did not answer adds nothing.
  const isConfigured = state !== "needs_input" && state !== "unusable";
  const error = !isConfigured
    ? undefined
    : hasNoList
      ? failure.reason
      : (lastError?.reason ?? failure?.reason);
  const cause = hasNoList
    ? "list_failed"
    : state === "failed"
      ? (lastError?.cause ?? "list_failed")
      : undefined;
  return {
    id: server.id,
    state,
    starting: status?.starting === undefined ? undefined : roundedStart(status.starting),
    ...(state === "needs_input" && { missingInputs: server.missingInputs }),
    ...(state === "unusable" && { problems: server.problems }),
    target: targetOf(server),
    ...sandboxOf(server),
    rejected: catalogue.rejected
      .filter(({ source }) => source === server.id)
      .map(({ code, kind, name, reason }) => ({ code, kind, name: redact(name), reason: redact(reason) })),
    findings: catalogue.findings
      .filter((finding) => finding.server === server.id)
      .map(({ code, kind, tool, message, excerpt }) => ({
        code,
        kind,
        tool: redact(tool),
        message: redact(message),
        excerpt: redact(excerpt),
      })),
    ...(isKnown && status !== undefined
      ? {
          toolCount: countOf(catalogue.components, server.id),
          resourceCount: countOf([...catalogue.resources, ...catalogue.resourceTemplates], server.id),
          promptCount: countOf(catalogue.prompts, server.id),
        }
      : {}),
    era,
    protocolVersion,
    connectMs,
    pid,
    error: error === undefined ? undefined : redact(error),
    cause,
    ...(cause !== undefined &&
      lastError?.crash?.hint !== undefined && { hint: redact(lastError.crash.hint) }),
    ...(lastError === undefined || lastError.stderr.length === 0
      ? {}
      : { stderr: lastError.stderr.map(redact) }),
  };
}

/** What other processes may be told of a server; without secrets. */
export function liveServerOf(
  server: ServerConfig,
  status: UpstreamStatus | undefined,
  redact: (text: string) => string,
): ServerStatus | undefined {
  // It is looked at every second: nearly all servers of a large config are idle.
  if (status === undefined || (status.state === "idle" && status.lastError === undefined)) return undefined;
  const { era, protocolVersion, pid, lastError, starting } = status;
  const said = starting?.said ?? lastError?.stderr.at(-1);
  return {
    id: server.id,
    target: targetOf(server),
    state: stateOf(server, status, false),
    era,
    protocolVersion,
    pid,
    ...(lastError !== undefined && {
      error: redact(lastError.reason),
      cause: lastError.cause,
      failedAt: lastError.at,
    }),
    said: said === undefined ? undefined : redact(said),
  };
}

/** A server that this process has not started is shown as the gateways on the home have it. */
export function withGateways(views: readonly ServerView[], processes: readonly LiveProcess[]): ServerView[] {
  return views.map((view) => {
    const found = processes.flatMap(({ pid, serves, servers }) =>
      servers
        .filter(({ id, target }) => id === view.id && target === view.target)
        .map((server) => ({ server, gateway: { pid, serves } })),
    );
    const [best] = found.toSorted((a, b) => rankOf(a.server) - rankOf(b.server));
    if (best === undefined || (view.state !== "idle" && view.state !== "failed")) return view;
    const { state, era, protocolVersion, pid, error, cause } = best.server;
    return {
      ...view,
      state: state as ServerView["state"],
      ...(era !== undefined && { era }),
      ...(protocolVersion !== undefined && { protocolVersion }),
      ...(pid !== undefined && { pid }),
      ...(error !== undefined && { error, cause: cause as ViewCause }),
      gateways: found.map(({ server, gateway }) => ({
        ...gateway,
        state: server.state,
        since: new Date(server.since).toISOString(),
        error: server.error,
        said: server.said,
      })),
    };
  });
}

/** The best first: a server that runs in any gateway is available. */
function rankOf({ state }: LiveServer): number {
  return state === "ready" ? 0 : state === "failed" ? 2 : 1;
}

function roundedStart({ forMs, ...rest }: NonNullable<UpstreamStatus["starting"]>) {
  return { forMs: Math.round(forMs), ...rest };
}

function countOf(listed: readonly { readonly source: string }[], id: string): number {
  return listed.filter(({ source }) => source === id).length;
}

/** Odd, so that the middle one was really measured. */
const ROUND_COUNT = 3;

/**
 * The view with the time that one more question takes: the middle one of three, or none where they are not answered.
 */
export async function withLatency(
  view: ServerView,
  ask: (method: "ping" | "tools/list") => Promise<{ readonly success: boolean }>,
): Promise<ServerView> {
  if (view.state !== "ready") return view;
  const timesMs: number[] = [];
  for (let round = 0; round < ROUND_COUNT; round++) {
    const startedAt = performance.now();
    // The modern era has no ping.
    const { success } = await ask(view.era === "modern" ? "tools/list" : "ping");
    if (!success) return view;
    timesMs.push(performance.now() - startedAt);
  }
  return { ...view, latencyMs: timesMs.sort((a, b) => a - b)[(ROUND_COUNT - 1) / 2]! };
}

/**
 * What would keep a server's program from starting as things are now. Starts nothing; nothing is known about a remote
 * server.
 */
export function findProgramProblem(
  server: ServerConfig,
): { readonly cause: ViewCause; readonly reason: string } | undefined {
  return server.transport.kind === "stdio" ? findStartProblem(server.transport) : undefined;
}

function stateOf(
  server: ServerConfig,
  status: UpstreamStatus | undefined,
  failed: boolean,
): ServerView["state"] {
  if (!server.enabled) return "disabled";
  if (!server.trusted) return "untrusted";
  if (lackOnlyInputs(server.problems)) return "needs_input";
  if (server.problems.length > 0) return "unusable";
  switch (status?.state) {
    case "ready":
    case "connecting":
    case "starting":
      return status.state;
    case "waiting":
    case "broken":
      return "failed";
    default:
      return failed ? "failed" : "idle";
  }
}

function sandboxOf({ written }: ServerConfig): Pick<ServerView, "sandbox"> {
  const shown = maskTransport(written);
  if (shown.kind !== "stdio" || shown.isolation === undefined) return {};
  return { sandbox: describeIsolation(shown.isolation) };
}

function targetOf({ written }: ServerConfig): string {
  const shown = maskTransport(written);
  if (shown.kind === "stdio") return [shown.command, ...shown.args].join(" ");
  return shown.kind === "openapi" ? shown.location : shown.url;
}
