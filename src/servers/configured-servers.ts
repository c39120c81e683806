/**
 * The configured servers as sources of the registry, kept in step with the config: what is new is added, what is gone
 * or disabled is removed and stopped, what changed is replaced, and what is the same keeps running. One that cannot be
 * started as it is configured is there and starts nothing, so that its callers are told why.
 */
import { dirname } from "node:path";
import type { Config, InstalledFrom, ServerConfig } from "../config/config.ts";
import { startLimitOf } from "../config/entries/installer.ts";
import { formatProblem } from "../config/problem.ts";
import { hashJson, type JsonObject } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import { NO_SECRETS, type Redactors } from "../text/redactors.ts";
import type { SecretStore } from "../core/secret-store.ts";
import type { ClientHandle } from "../core/tool.ts";
import type { Registry } from "../registry/registry.ts";
import { createOpenTransport, type OpenTransport } from "../upstream/transport/open-transport.ts";
import type { UpstreamConfig } from "../upstream/upstream-config.ts";
import {
  createUpstreamServer,
  type UpstreamServer,
  type UpstreamStatus,
} from "../upstream/upstream-server.ts";
import { findChangedFile } from "../published/bundle/bundle-files.ts";
import { createDescriptionReader } from "../openapi/description-reader.ts";
import type { CheckArguments } from "../openapi/openapi-source.ts";
import { createOpenApiServer } from "./openapi-server.ts";
import { createWaitingServer } from "./waiting-server.ts";
import { maskTransport } from "../config/values/secrets.ts";
import { findPackageRun } from "../config/entries/package-run.ts";
import type { NotStarted } from "../upstream/process/process-exit.ts";
import { askRegistry } from "../upstream/process/published-package.ts";
import { notStartedProcess } from "../upstream/process/server-process.ts";

export interface Servers {
  /** Takes over a config; resolves when servers that are gone have ended. */
  reconcile(config: Config): Promise<void>;
  status(id: string): UpstreamStatus | undefined;
  /** Stops one and makes it new from the config in force; it starts when it is needed. One that is not in use stays so. */
  restart(id: string): Promise<void>;
  /** The last lines that its process wrote to stderr, without secrets; none where no process runs. */
  stderrTail(id: string, lineCount: number): readonly string[];
  notified(listener: ServerListener): () => void;
  /**
   * Passes a notification on to the servers; where there are many clients, over the lines of the one that it comes
   * from.
   */
  tell(method: string, params: JsonObject, client?: ClientHandle, only?: string): void;
  /** Of those that run and those to come; where there are many clients, for one of them. */
  setLogLevel(level: string, client?: ClientHandle): void;
}

/** With a client, what a server said is for that one alone. */
type ServerListener = (server: string, method: string, params: JsonObject, client?: ClientHandle) => void;

interface Running {
  /** Absent for one that cannot be started, and has nothing to be told. */
  readonly server?: UpstreamServer;
  readonly fingerprint: string;
  readonly stop: () => void;
}

/** Counts the gateways above this one, for servers that are gateways themselves. */
const HOPS_VARIABLE = "REPERTOIRE_HOPS";
/** A gateway behind a gateway is useful; one this deep is behind itself, and would start itself for ever. */
const HOPS_MAX = 5;

export interface ServersDeps {
  readonly registry: Registry;
  readonly log: Log;
  readonly version: string;
  /** The folder of everything that must survive, with the bundles of installed servers. */
  readonly home: string;
  /** The client that this gateway serves, if there is one. */
  readonly client: () => ClientHandle | undefined;
  /** What that client can be asked for, if it is of the modern era. */
  readonly modernCapabilities?: () => JsonObject | undefined;
  /** Whether more than one client can be there, as over HTTP. */
  readonly hasManyClients?: boolean;
  /** Whether that client is of the modern era. */
  readonly prefersModern: () => boolean;
  /** Where logins to remote servers are kept. */
  readonly secrets: SecretStore;
  /** Takes secrets out of what a server lists, and says when it fails: it may print what it was given. */
  readonly redactors?: Pick<Redactors, "current">;
  readonly env?: NodeJS.ProcessEnv;
  /** How long a caller without a deadline waits for a start; without it, as a client's request can. */
  readonly startWaitMs?: number | undefined;
  /** Whether arguments fit a schema, for servers that cannot check them themselves: APIs. */
  readonly checkArguments?: CheckArguments | undefined;
}

export function createServers({
  registry,
  log,
  version,
  home,
  client,
  modernCapabilities = () => undefined,
  hasManyClients = false,
  prefersModern,
  secrets,
  redactors = NO_SECRETS,
  env = process.env,
  startWaitMs,
  checkArguments,
}: ServersDeps): Servers {
  const running = new Map<string, Running>();
  const listeners = new Set<ServerListener>();
  const hops = Number(env[HOPS_VARIABLE] ?? 0) || 0;
  const logLevels = new Map<ClientHandle | undefined, string>();
  const clientInfo = { name: "repertoire", title: "Repertoire", version };
  /** Servers that end their calls before they are gone. */
  const stopping = new Set<Promise<void>>();
  let newest: Config | undefined;
  /** One thread for the descriptions of all APIs. */
  const reader = createDescriptionReader();

  function create(config: ServerConfig, { limits, keptAway }: StartPlace): UpstreamServer {
    const { id, timeoutMs, transport } = config;
    const mask = <T>(value: T): T => redactors.current().mask(value);
    if (transport.kind === "openapi")
      return createOpenApiServer(
        { id, timeoutMs, transport },
        { reader, version, mask, check: checkArguments },
      );
    const upstream = withKeptAway(withHops(upstreamConfigOf(config, transport, limits), hops + 1), keptAway);
    return createUpstreamServer(upstream, {
      clientInfo,
      log,
      client,
      modernCapabilities,
      hasManyClients,
      prefersModern,
      startWaitMs,
      redact: (text) => redactors.current().text(text),
      mask,
      openTransport: withIntegrity(
        createOpenTransport({ server: id, secrets, settings: config.oauth }),
        config,
        home,
      ),
    });
  }

  function start(config: ServerConfig, place: StartPlace, fingerprint: string): void {
    if (config.problems.length > 0) {
      running.set(config.id, { fingerprint, stop() {} });
      log.warn("server.unusable", { server: config.id, problems: config.problems.map(formatProblem) });
      registry.add(createWaitingServer(config.id, config.problems), { configHash: fingerprint });
      return;
    }
    const server = create(config, place);
    const stopListening = server.notified!((method, params, one) => {
      for (const listener of listeners) listener(config.id, method, params, one);
    });
    for (const [one, level] of logLevels) server.setLogLevel(level, one);
    running.set(config.id, { server, fingerprint, stop: stopListening });
    registry.add(server, { ...config.tools, configHash: fingerprint, identity: identityOf(config) });
  }

  /** The registry closes what it lets go. */
  async function stop(id: string): Promise<void> {
    running.get(id)?.stop();
    running.delete(id);
    await registry.remove(id);
  }

  function beginStop(id: string): void {
    const stopped = stop(id).finally(() => stopping.delete(stopped));
    stopping.add(stopped);
  }

  async function reconcile(config: Config): Promise<void> {
    if (hops >= HOPS_MAX) {
      log.error("servers.loop", {
        hops,
        hint: "A configured server is this gateway itself, or leads back to it: no server is started.",
      });
      return;
    }
    const wanted = new Map(
      config.servers
        .filter((server) => server.enabled && server.trusted)
        .map((server) => [server.id, { server, fingerprint: fingerprintOf(server, config) }]),
    );
    const gone = [...running].filter(([id, { fingerprint }]) => wanted.get(id)?.fingerprint !== fingerprint);
    newest = config;
    for (const [id] of gone) beginStop(id);
    await Promise.all(stopping);
    // A config that came meanwhile decides what is started.
    if (newest !== config) return;
    for (const [id, { server, fingerprint }] of wanted) {
      if (!running.has(id))
        start(server, { limits: config.limits, keptAway: keptAwayOf(config) }, fingerprint);
    }
  }

  return {
    reconcile,
    async restart(id) {
      if (running.has(id)) beginStop(id);
      if (newest !== undefined) await reconcile(newest);
    },
    stderrTail: (id, lineCount) => running.get(id)?.server?.stderrTail(lineCount) ?? [],
    status: (id) => running.get(id)?.server?.status(),
    notified(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    setLogLevel(level, from) {
      const one = hasManyClients ? from : undefined;
      if (one?.gone.aborted === true) return;
      if (one !== undefined && !logLevels.has(one)) {
        one.gone.addEventListener("abort", () => logLevels.delete(one), { once: true });
      }
      logLevels.set(one, level);
      for (const { server } of running.values()) server?.setLogLevel(level, one);
    },
    tell(method, params, from, only) {
      for (const { server } of running.values()) {
        if (only === undefined || only === server?.id) server?.notify(method, params, from);
      }
    },
  };
}

function withHops(config: UpstreamConfig, hops: number): UpstreamConfig {
  const { transport } = config;
  if (transport.kind !== "stdio") return config;
  return { ...config, transport: { ...transport, env: { ...transport.env, [HOPS_VARIABLE]: String(hops) } } };
}

/** What all servers are started with. */
interface StartPlace {
  readonly limits: Config["limits"];
  readonly keptAway: readonly string[];
}

/** What no isolated server sees: all that the gateway keeps, and its config, which may hold the secrets of others. */
function keptAwayOf({ home, files }: Config): string[] {
  return [
    home,
    ...files.flatMap(({ kind, path }) =>
      path === undefined ? [] : [kind === "user" ? dirname(path) : path],
    ),
  ];
}

function withKeptAway(config: UpstreamConfig, keptAway: readonly string[]): UpstreamConfig {
  const { transport } = config;
  if (transport.kind !== "stdio" || transport.isolation === undefined) return config;
  return { ...config, transport: { ...transport, keptAway } };
}

function upstreamConfigOf(
  server: ServerConfig,
  transport: UpstreamConfig["transport"],
  limits: Config["limits"],
): UpstreamConfig {
  const { ms: connectTimeoutMs, msMax: startMsMax } = startLimitOf(server, limits);
  return {
    id: server.id,
    transport,
    callTimeoutMs: server.timeoutMs,
    connectTimeoutMs,
    startMsMax,
    idleMs: limits.serverIdleMs,
  };
}

/** What a server is made of: another one means another server. */
function fingerprintOf(server: ServerConfig, { limits, files }: Config): string {
  const { transport, tools, oauth, problems } = server;
  // What was listed before the problem came is not listed while it is there: nothing of it could be called.
  if (problems.length > 0) return hashJson({ id: server.id, problems: problems.map(formatProblem) });
  const login = oauth === undefined ? {} : { oauth: { ...oauth, clientSecret: oauth.clientSecret ?? null } };
  const { integrity, installed } = server;
  const pinned = {
    ...(integrity !== undefined && { integrity }),
    ...(installed !== undefined && { installed: { ...installed } }),
  };
  if (transport.kind === "openapi")
    return hashJson({ id: server.id, transport: { ...transport }, timeoutMs: server.timeoutMs, tools });
  // What hides a config file from it is lost when the file is replaced, so it is started again then.
  const hidden = transport.kind === "stdio" && transport.isolation !== undefined ? hashesOf(files) : {};
  const upstream = upstreamConfigOf(server, transport, limits);
  return hashJson({ ...upstream, transport, tools, ...login, ...pinned, ...hidden });
}

function hashesOf(files: Config["files"]): JsonObject {
  return { configFiles: files.map(({ sha256 }) => sha256 ?? "") };
}

/** `@scope/name@1.2.3` of npm, `name==1.2.3` of PyPI. */
const PACKAGE = /^((?:@[\w.-]{1,100}\/)?[\w.-]{1,200})(?:@|==)([\w.+*^~-]{1,100})$/;

/**
 * Who a server is, as the config says: what its pins are compared with. As it is written, so that a variable with
 * another value is no other server, and without secrets.
 */
export function identityOf({ written, installed }: Pick<ServerConfig, "written" | "installed">): JsonObject {
  return {
    ...identityOfTransport(written),
    ...(installed !== undefined && { installed: originOf(installed) }),
  };
}

/** The same file of the same version from another registry is the same server. */
function originOf({ name, version, sha256 }: InstalledFrom): JsonObject {
  return { name, version, ...(sha256 !== undefined && { sha256 }) };
}

function identityOfTransport(written: ServerConfig["written"]): JsonObject {
  const masked = maskTransport(written);
  if (masked.kind === "openapi") {
    const { location, baseUrl } = masked;
    return { openapi: location, ...(baseUrl !== undefined && { baseUrl }) };
  }
  if (masked.kind !== "stdio") return { url: masked.url };
  const { command, args } = masked;
  const found = args.map((arg) => PACKAGE.exec(arg)).find((match) => match !== null);
  return {
    command,
    args: [...args],
    ...(found && { package: { name: found[1]!, version: found[2]! } }),
  };
}

type PinnedServer = Pick<ServerConfig, "id" | "key" | "integrity" | "installed">;
type StdioTransport = Extract<Parameters<OpenTransport>[0], { kind: "stdio" }>;

/**
 * Before a server with a pinned package is started, the registry is asked whether it still has the same bytes under that
 * version. Others than those that were pinned are not started. Where nothing is found out, the server is started and the
 * log says so: a machine without a network has its packages in a cache. Of a server that came as a bundle, each file must be
 * as it was unpacked. A server with neither is just started.
 */
function withIntegrity(open: OpenTransport, server: PinnedServer, home: string): OpenTransport {
  const { integrity, installed } = server;
  if (integrity === undefined && installed?.bundle === undefined) return open;
  return async (transport, log) => {
    if (transport.kind !== "stdio") return open(transport, log);
    const problem =
      (await findBundleProblem(server, home)) ??
      (integrity === undefined ? undefined : await findIntegrityProblem(server, transport, log));
    if (problem === undefined) return open(transport, log);
    const process = notStartedProcess(problem);
    return { transport: process, process };
  };
}

async function findBundleProblem(
  { key, installed }: PinnedServer,
  home: string,
): Promise<NotStarted | undefined> {
  if (installed?.bundle === undefined) return undefined;
  const { name, version, bundle, files } = installed;
  const changed =
    files === undefined
      ? "the config does not say which files it has"
      : await findChangedFile(home, bundle, files);
  if (changed === undefined) return undefined;
  const reason = `The bundle of ${key} (${name} ${version}) is not what was added: ${changed}.`;
  return { cause: "bundle_changed", reason };
}

async function findIntegrityProblem(
  { id, key, integrity }: PinnedServer,
  { command, args, env, cwd }: StdioTransport,
  log: Log,
): Promise<NotStarted | undefined> {
  const run = findPackageRun(command, args);
  if (run?.kind !== "npm" || !run.isExact) {
    const reason = `${key} has an integrity in the config, and no npm package with an exact version.`;
    return { cause: "integrity_changed", reason };
  }
  const { name, version } = run;
  const published = await askRegistry({ name, version, env, cwd });
  if (published.kind === "unknown") {
    log.warn("server.integrity.unknown", { server: id, reason: published.reason });
    return undefined;
  }
  if (published.kind === "published" && published.integrity === integrity) return undefined;
  const now = published.kind === "absent" ? "has no such version any more" : `now has ${published.integrity}`;
  return {
    cause: "integrity_changed",
    reason: `${name}@${version} was pinned with ${integrity}, and the registry ${now}.`,
  };
}
