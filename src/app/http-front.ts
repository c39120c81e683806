/** The gateway over HTTP, put together from the config: who may connect, what is served, what is counted and logged. */
import { replicaUrlOf } from "../config/store.ts";
import type { ConfigSource } from "../config/source.ts";
import { RepertoireError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { TokenUses } from "../core/trust-store.ts";
import { GATEWAY, type AuditTrail } from "../telemetry/audit-trail.ts";
import type { Outcome } from "../telemetry/telemetry.ts";
import { traceIdOf } from "../core/trace-context.ts";
import type { ConfigurableLog } from "../telemetry/log.ts";
import { logRequest } from "../server/access-log.ts";
import { createGate, type GateOAuth, checkListener } from "../server/auth/gate.ts";
import { DEFAULT_TOKEN_NAME } from "../server/auth/token.ts";
import { readEnvironmentToken } from "../server/auth/environment-token.ts";
import type { TokenPrincipals } from "../server/auth/token-principals.ts";
import type { Tokens } from "../server/auth/tokens.ts";
import { createHealth, type HealthDeps } from "../server/health.ts";
import { listenHttp, type HttpListener, type HttpServerDeps } from "../server/http/serve-http.ts";
import type { HttpCall } from "../server/http/http-call.ts";
import { createMetrics, type Metrics, type MetricsDeps } from "../telemetry/metrics.ts";
import type { StoreMetricsDeps } from "../telemetry/store-metrics.ts";
import { endMessageSpan } from "../server/request-span.ts";
import { VERSION } from "../core/version.ts";
import type { Watching } from "./watching.ts";

export interface HttpFrontDeps extends StoreMetricsDeps {
  readonly config: ConfigSource;
  readonly log: ConfigurableLog;
  readonly watching: Watching;
  readonly trail: AuditTrail;
  readonly tokens: Tokens;
  /** Who may come in by a token, kept in step with what is on record. */
  readonly watchTokens: () => Promise<TokenPrincipals>;
  /** Where the last use of each token is kept. */
  readonly tokenUses: TokenUses;
  /** Reads the documents of the issuer; it reaches no address that is more private than the issuer's. */
  readonly openIssuerFetch: (issuer: URL) => Promise<GateOAuth["fetch"]>;
  readonly gatewayFor: HttpServerDeps["gatewayFor"];
  readonly profile?: string | undefined;
  /** Any cheap question to the store. */
  readonly askStore: () => Promise<unknown>;
  readonly storeHealth: Pick<HealthDeps, "awayMs" | "isAway" | "describeStore">;
  readonly isDraining: () => boolean;
  readonly heldCallCount: () => number;
  readonly runCount: () => number;
  readonly servers: MetricsDeps["servers"];
  readonly console: HttpServerDeps["console"];
  /** Other gateways on the same store, where it is shared. */
  readonly replicas: HttpServerDeps["replicas"];
  /** Tells the others where this one is reached. */
  readonly listensAt: (url: string) => Promise<void>;
  readonly hooks: HttpServerDeps["hooks"];
}

/** Where to listen, where it is not as the config says. */
export interface HttpAddress {
  readonly host?: string;
  readonly port?: number;
}

export type HttpFront = HttpListener;

export async function openHttpFront(deps: HttpFrontDeps, address: HttpAddress): Promise<HttpFront> {
  const { config, log, watching } = deps;
  let listener: HttpListener | undefined;
  const metrics = createMetrics({
    ...deps,
    version: VERSION,
    sessionCount: () => listener?.sessionCount ?? 0,
    streamCount: () => listener?.streamCount ?? 0,
    ...(deps.replicas !== undefined && {
      replica: deps.replicas.peers.ownId,
      forwardedCount: () => listener?.forwardedCount ?? 0,
      sessionsAdoptedCount: () => listener?.adoptedCount ?? 0,
    }),
    logDroppedCount: () => log.droppedCount(),
  });
  watching.countIn(metrics);
  let isStale = false;
  const stop = config.subscribe(({ kind }) => (isStale = kind === "broken"));
  const { oauth, ...settings } = { ...config.current().http, ...address };
  const tokenNames = await namesOf(deps.tokens);
  const permit = checkListener({ host: settings.host, hasIssuer: oauth !== undefined, tokenNames });
  if (permit.kind === "refused")
    throw new RepertoireError("CONFIG_INVALID", permit.message, { hint: permit.hint });
  // People come in by the issuer: where there is no default token, none is needed.
  const isBegun = deps.tokens.hasDefault || oauth === undefined;
  if (isBegun && (await deps.tokens.begin()) !== undefined)
    deps.trail.recordChange(GATEWAY, "token.created", DEFAULT_TOKEN_NAME, {});
  const issuer =
    oauth === undefined ? undefined : { ...oauth, fetch: await deps.openIssuerFetch(new URL(oauth.issuer)) };
  const principals = await deps.watchTokens();
  const open = () =>
    listenHttp({
      ...settings,
      log,
      metrics,
      telemetry: watching.telemetry,
      gatewayFor: deps.gatewayFor,
      profile: deps.profile,
      isDraining: deps.isDraining,
      console: deps.console,
      replicas: deps.replicas,
      hooks: deps.hooks,
      health: createHealth({ ...deps, ...deps.storeHealth, isConfigGood: () => !isStale }),
      oauth,
      openGate: (bases) =>
        createGate({
          tokens: principals,
          log,
          tokenUses: deps.tokenUses,
          oauth: issuer === undefined ? undefined : { ...issuer, bases },
        }),
      refused: (reason) => metrics.observeAuthFailure(reason),
      ended: (call, ms) => finish(metrics, log, call, ms),
    });
  listener = await open().catch((error: unknown) => {
    principals.close();
    return refuseAddress(error, settings);
  });
  const opened = listener;
  if (deps.replicas !== undefined) {
    const { host } = settings;
    await deps.listensAt(replicaUrlOf(config.current(), { host, port: opened.port }));
  }
  return {
    url: opened.url,
    port: opened.port,
    get sessionCount() {
      return opened.sessionCount;
    },
    get streamCount() {
      return opened.streamCount;
    },
    get strangerCount() {
      return opened.strangerCount;
    },
    get forwardedCount() {
      return opened.forwardedCount;
    },
    get adoptedCount() {
      return opened.adoptedCount;
    },
    answered: () => opened.answered(),
    async close() {
      stop();
      await opened.close();
    },
  };
}

/** Of all tokens that let somebody in. */
async function namesOf(tokens: Tokens): Promise<string[]> {
  const ofEnvironment = readEnvironmentToken();
  const entries = [...(await tokens.list()), ...(ofEnvironment === undefined ? [] : [ofEnvironment])];
  return entries.map(({ name }) => name);
}

/** The usual reasons in plain words; any other is thrown as it is. */
function refuseAddress(error: unknown, { host, port }: Required<HttpAddress>): never {
  const reasons: Record<string, string> = {
    EADDRINUSE: "another process listens there already",
    EACCES: "this user is not allowed to listen there",
    EADDRNOTAVAIL: "this machine has no such address",
    ENOTFOUND: "the host name is unknown",
  };
  const reason = reasons[(error as NodeJS.ErrnoException).code ?? ""];
  if (reason === undefined) throw error;
  throw new RepertoireError("CONFIG_INVALID", `${host}:${port} cannot be listened on: ${reason}.`, {
    hint: "Choose another address with --http host:port; port 0 takes a free one.",
  });
}

/** One request is over: it is counted, logged and its span ends. */
function finish(metrics: Metrics, log: Log, call: HttpCall, elapsedMs: number): void {
  const { request, response, era, method, profile, principal, tool, bodyBytes = 0, span } = call;
  const outcome = outcomeOf(call);
  // One that another replica has answered is counted there.
  if (method !== undefined && era !== undefined && call.forwardedTo === undefined)
    metrics.observeRequest({ transport: "http", era, method, outcome, seconds: elapsedMs / 1000 });
  if (span !== undefined) endMessageSpan(span, outcome, call.error);
  logRequest(log, {
    method: request.method ?? "",
    route: routeOf(call),
    status: response.statusCode,
    elapsedMs,
    bytesIn: bodyBytes,
    bytesOut: request.socket.bytesWritten - call.sentBefore,
    remote: request.socket.remoteAddress,
    principal: principal?.id,
    profile,
    era,
    mcpMethod: method,
    tool,
    outcome,
    forwardedTo: call.forwardedTo,
    ...(span?.context !== undefined && { otelTraceId: traceIdOf(span.context) }),
  });
}

/** Closing the response is how a modern client cancels. */
function outcomeOf({ outcome, response: { statusCode, writableFinished } }: HttpCall): Outcome {
  if (outcome !== undefined) return outcome;
  if (statusCode === 401 || statusCode === 403 || statusCode === 429) return "refused";
  if (statusCode >= 400) return "error";
  return writableFinished ? "ok" : "cancelled";
}

/** The route and never the path: that is the client's text. */
function routeOf({ path, profile, route }: HttpCall): string {
  if (profile !== undefined) return "/mcp/:profile";
  return route ?? (ROUTES.has(path) ? path : "other");
}

const ROUTES: ReadonlySet<string> = new Set(["/mcp", "/health", "/health/live", "/health/ready", "/metrics"]);
