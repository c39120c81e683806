/**
 * The gateway over HTTP: one listener, one request guard, and behind it the MCP endpoint of the gateway and of each
 * profile, and what operators look at.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Log } from "../../core/log.ts";
import type { Telemetry } from "../../telemetry/telemetry.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import type { Gate, GateOAuth } from "../auth/gate.ts";
import { findProfileProblem, insufficientScope, scopeNameOf } from "../auth/permission.ts";
import { baseFor, basesOf, metadataUrlOf } from "../auth/resource-metadata.ts";
import { EventWriter } from "./event-stream.ts";
import { createRequestGuard, type RequestGuard, type RequestGuardDeps } from "./request-guard.ts";
import {
  HEADER_BYTES_MAX,
  HEADERS_MS,
  REQUEST_MS,
  SOCKET_COUNT_MAX,
  SOCKET_IDLE_MS,
  SOCKET_RESERVED_COUNT,
  STRANGER_COUNT_MAX,
} from "./limits.ts";
import { createMcpEndpoint, type McpEndpoint } from "./mcp-endpoint.ts";
import { operatorRoutes, type OperatorDeps, answerProbe, openProbeOf } from "./operator-routes.ts";
import type { McpServerDeps } from "../mcp-server.ts";
import { replyError, replyFailure } from "./reply.ts";
import type { ConsoleDeps, ConsoleFront } from "./console-front.ts";
import { EVENTS_PATH, isForBrowser, secure } from "./security-headers.ts";
import { FORWARDED_HEADER } from "./replicas/peer-contract.ts";
import type { PeerDoor } from "./replicas/peer-door.ts";
import type { ReplicaDeps } from "./replicas/replica-front.ts";
import { systemClock } from "../../core/clock.ts";
import { createHookEndpoint, HOOK_PATH, type HookDeps } from "./hook-endpoint.ts";
import { cardOf, replyCard } from "../server-card.ts";
import { SocketShare } from "./socket-share.ts";
import { headerOf, rememberCall, type HttpCall, UnderWay } from "./http-call.ts";

/** Not imported: that reads every export of the module, and one of them loads a whole HTTP client. */
const { createServer } = process.getBuiltinModule("node:http");

type OperatorListener = (request: IncomingMessage, response: ServerResponse) => unknown;

const MCP_PATH = /^\/mcp(?:\/([a-z0-9_-]{1,64}))?$/;
/** How long answers are waited for when the gateway ends, as runs are. */
const ANSWERS_MS = 10_000;
/** How long connections are waited for once all work has ended. */
const LAST_BYTES_MS = 500;

export interface HttpServerDeps extends OperatorDeps {
  /** The console and the API; without it, there is neither. */
  readonly console?: ConsoleDeps | undefined;
  readonly host: string;
  readonly port: number;
  readonly publicUrl?: string;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly oauth?: Pick<GateOAuth, "issuer" | "scopes">;
  readonly openGate: (bases: readonly string[]) => Gate;
  /** The gateway, or that of a profile; undefined when there is no such profile. */
  readonly gatewayFor: (profile: string | undefined) => Omit<McpServerDeps, "log"> | undefined;
  /** The profile that `/mcp` itself is, where it is one. */
  readonly profile?: string | undefined;
  /** Other gateways on the same store; without it, there are none. */
  readonly replicas?: ReplicaDeps | undefined;
  /** What other systems start with a signed request; without it, nothing. */
  readonly hooks?: Pick<HookDeps, "secretOf" | "start"> | undefined;
  readonly refused: RequestGuardDeps["refused"];
  readonly telemetry: Telemetry;
  /** Whether the gateway is ending: what is under way is answered, and nothing new is begun. */
  readonly isDraining: () => boolean;
  /** A request has been answered, or its client has gone. */
  readonly ended: (call: HttpCall, ms: number) => void;
  readonly log: Log;
  /** How long the header lines of a request may take. */
  readonly headersMs?: number;
}

export interface HttpListener {
  /** Of the MCP endpoint. */
  readonly url: string;
  readonly port: number;
  readonly sessionCount: number;
  /** Responses that are streams of events. */
  readonly streamCount: number;
  /** Sockets over which no good token has come yet. */
  readonly strangerCount: number;
  /** Requests that other replicas have answered, and sessions of other replicas that went on here, since the start. */
  readonly forwardedCount: number;
  readonly adoptedCount: number;
  /** Resolves when what is under way has been answered, at the latest after ten seconds. */
  answered(): Promise<void>;
  /** Takes no more requests, answers those under way, and ends every stream. */
  close(): Promise<void>;
}

export async function listenHttp(deps: HttpServerDeps): Promise<HttpListener> {
  const { headersMs = HEADERS_MS } = deps;
  const endpoints = new Map<string, { endpoint: McpEndpoint; gateway: Gateway }>();
  let isClosing = false;
  const isDraining = (): boolean => isClosing || deps.isDraining();
  const sockets = createServer({
    maxHeaderSize: HEADER_BYTES_MAX,
    headersTimeout: headersMs,
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: SOCKET_IDLE_MS,
    connectionsCheckingInterval: headersMs / 2,
    noDelay: true,
  });
  // One more than may be held: the next stranger is let in, and the oldest gives way.
  sockets.maxConnections = SOCKET_COUNT_MAX + SOCKET_RESERVED_COUNT + STRANGER_COUNT_MAX + 1;
  const share = new SocketShare(headersMs);
  sockets.on("connection", (socket) => share.opened(socket));
  const replicas = deps.replicas && (await openReplicas(deps.replicas, share, deps.log));
  const { port } = await listen(sockets, deps.host, deps.port);
  const bases = basesOf({ ...deps, port });
  const gate = deps.openGate(bases);
  const guard = createRequestGuard({ ...deps, gate, bases, policy: { ...deps, port } });
  const isSecure = deps.publicUrl?.startsWith("https:") === true;
  let front: Promise<ConsoleFront> | undefined;
  const openFront = (): Promise<ConsoleFront> | undefined => {
    const { console: given } = deps;
    if (given === undefined) return undefined;
    front ??= import("./console-front.ts").then(({ createConsoleFront }) =>
      createConsoleFront({ ...given, gate, port, isSecure, log: deps.log }),
    );
    return front;
  };
  let operator: Promise<OperatorListener> | undefined;
  const openOperator = async (): Promise<OperatorListener> => {
    const { createOperatorListener } = await import("./operator-app.ts");
    const api = (await (await openFront())?.routes()) ?? [];
    return createOperatorListener([...operatorRoutes({ ...deps, bases }), ...api]);
  };
  const operate = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    operator ??= openOperator();
    (await operator)(request, response);
  };

  function endpointFor(profile: string | undefined): McpEndpoint | undefined {
    const key = profile ?? "";
    const known = endpoints.get(key);
    const found = deps.gatewayFor(profile);
    if (known !== undefined && known.gateway === found?.gateway) return known.endpoint;
    // The profile is gone, or fronts something else now.
    endpoints.delete(key);
    void known?.endpoint.close();
    if (found === undefined) return undefined;
    const shown = profile ?? deps.profile;
    const shared = replicas?.shared;
    const endpoint = createMcpEndpoint({
      ...deps,
      ...found,
      refusePermission,
      isDraining,
      profile: shown,
      shared,
    });
    endpoints.set(key, { endpoint, gateway: found.gateway });
    return endpoint;
  }

  function refusePermission(permission: Parameters<typeof scopeNameOf>[0], call: HttpCall) {
    deps.refused("forbidden");
    const base = baseFor(headerOf(call, "host"), bases);
    const url = deps.oauth === undefined ? undefined : metadataUrlOf(base, call.path);
    return insufficientScope(permission, scopeNameOf(permission, deps.oauth?.scopes ?? {}), url);
  }

  const underWay = new UnderWay();
  const handle = createHandler({
    ...deps,
    bases,
    guard,
    operate,
    openFront,
    endpointFor,
    share,
    door: replicas?.door,
    underWay,
  });
  sockets.on("request", handle);
  return {
    url: `${bases[0]}/mcp`,
    port,
    get sessionCount() {
      return [...endpoints.values()].reduce((count, { endpoint }) => count + endpoint.sessionCount, 0);
    },
    get streamCount() {
      return EventWriter.openCount;
    },
    get strangerCount() {
      return share.strangerCount;
    },
    get forwardedCount() {
      return replicas?.shared.peering.forwardedCount ?? 0;
    },
    get adoptedCount() {
      return replicas?.adoptedCount ?? 0;
    },
    answered: () => underWay.answered(ANSWERS_MS),
    async close() {
      isClosing = true;
      (await front)?.close();
      await underWay.answered(ANSWERS_MS);
      const closed = new Promise((resolve) => sockets.close(resolve));
      sockets.closeIdleConnections();
      const handing = { isHandedOver: true };
      await Promise.all([...endpoints.values()].map(({ endpoint }) => endpoint.close(handing)));
      replicas?.shared.peering.close();
      const timer = setTimeout(() => sockets.closeAllConnections(), LAST_BYTES_MS);
      await closed;
      clearTimeout(timer);
      await gate.close();
    },
  };
}

async function openReplicas(deps: ReplicaDeps, share: SocketShare, log: Log) {
  const { createReplicaFront } = await import("./replicas/replica-front.ts");
  return createReplicaFront(deps, { log, proven: ({ socket }) => share.admitPeer(socket) });
}

interface HandlerDeps extends Pick<
  HttpServerDeps,
  "ended" | "health" | "hooks" | "isDraining" | "log" | "oauth" | "profile" | "publicUrl" | "refused"
> {
  readonly bases: readonly string[];
  readonly underWay: UnderWay;
  readonly guard: RequestGuard;
  readonly share: SocketShare;
  /** Where other replicas pass requests on to this one. */
  readonly door: PeerDoor | undefined;
  readonly operate: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  readonly openFront: () => Promise<ConsoleFront> | undefined;
  readonly endpointFor: (profile: string | undefined) => McpEndpoint | undefined;
}

function createHandler(deps: HandlerDeps) {
  const { guard, share, door, operate, openFront, endpointFor, underWay, ended, log } = deps;
  const answerHook =
    deps.hooks &&
    createHookEndpoint({
      ...deps.hooks,
      clock: systemClock,
      isDraining: deps.isDraining,
      refused: () => deps.refused("invalid"),
    });

  /** Before anything is told of the profile, also whether there is one. */
  function mayUse({ principal, response }: HttpCall, profile: string | undefined): boolean {
    const problem = principal && findProfileProblem(principal, profile ?? deps.profile);
    if (problem === undefined) return true;
    deps.refused("forbidden");
    replyError(response, { status: 403, message: problem });
    return false;
  }

  async function handle(call: HttpCall): Promise<void> {
    const probe = openProbeOf(call);
    if (probe !== undefined) {
      if (guard.checkProbe(call)) await answerProbe(call, probe, deps.health);
      return;
    }
    const card = cardOf(call);
    if (card !== undefined) {
      // A gateway that is there for others may be known by any page; one on a person's machine is nobody's to find.
      const isPublic = deps.publicUrl !== undefined;
      if (isPublic ? guard.checkName(call) : guard.checkAddress(call))
        replyCard(call, card, { ...deps, isPublic });
      return;
    }
    const { request, response, path } = call;
    const isPage = isForBrowser(path);
    if (isPage) secure(response);
    // Of one that was passed on, Host and Origin were checked where the client had sent it, which has another address.
    if (call.isForwarded !== true && !guard.checkAddress(call)) return;
    // A client without a token must be able to read where to get one.
    if (path.startsWith("/.well-known/")) return operate(request, response);
    const hook = HOOK_PATH.exec(path)?.[1];
    if (hook !== undefined && answerHook !== undefined) return answerHook(call, hook);
    const front = isPage ? await openFront() : undefined;
    if (front !== undefined && (await front.answer(call))) return;
    if (call.principal === undefined) {
      const isKnown = guard.checkToken(call);
      if (isKnown !== true && !(await isKnown)) return;
    }
    const isCounted = call.principal !== undefined && call.isForwarded !== true;
    const refusal = isCounted ? share.admit(request.socket, call.principal!) : undefined;
    if (refusal !== undefined) {
      const headers = { "Retry-After": "30", Connection: "close" };
      return replyError(response, { status: 429, message: `${refusal} Close one first.`, headers });
    }
    const mcp = MCP_PATH.exec(path);
    if (mcp === null) {
      if (path === EVENTS_PATH && front !== undefined) return front.stream(call);
      rememberCall(call);
      return operate(request, response);
    }
    if (!mayUse(call, mcp[1])) return;
    const endpoint = endpointFor(mcp[1]);
    if (endpoint === undefined) {
      const message =
        mcp[1] === undefined
          ? "The profile that is served here is not in the config any more."
          : `There is no profile ${mcp[1]}. Profiles are named in the config; the endpoint of the gateway is /mcp.`;
      return replyError(response, { status: 404, message });
    }
    if (mcp[1] !== undefined) call.profile = mcp[1];
    await endpoint.handle(call);
  }

  function begin(request: IncomingMessage, response: ServerResponse, isForwarded: boolean): void {
    const startedAt = performance.now();
    const [path = "/"] = (request.url ?? "/").split("?", 1);
    const sentBefore = request.socket.bytesWritten;
    const call: HttpCall = { request, response, path, sentBefore, principal: undefined };
    if (isForwarded) call.isForwarded = true;
    const number = underWay.add(call);
    response.on("close", () => {
      underWay.delete(number);
      ended(call, performance.now() - startedAt);
    });
    handle(call).catch((error: unknown) => replyFailure(call, error, log));
  }

  async function beginForwarded(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const opened = await door!.open(request, response);
    if (opened !== undefined) begin(opened, response, true);
  }

  return (request: IncomingMessage, response: ServerResponse): void => {
    if (door === undefined || request.headers[FORWARDED_HEADER] === undefined)
      return begin(request, response, false);
    beginForwarded(request, response).catch((error: unknown) => replyFailure({ response }, error, log));
  };
}

function listen(server: Server, host: string, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve(server.address() as AddressInfo);
    });
  });
}
