import { isAbsolute, join, sep } from "node:path";
import {
  deepFreeze,
  type Config,
  type ConfigInput,
  type ConfigOrigin,
  type HttpTransport,
  type InstalledFrom,
  type LlmConfig,
  type OpenApiTransport,
  type ServerConfig,
  type ServerOAuthConfig,
  type ServerTransport,
} from "./config.ts";
import type { FileText } from "./files/config-text.ts";
import type { EnvironmentServers } from "./values/environment.ts";
import type { TreeExpansion } from "./values/expand.ts";
import type { KeyPath, ConfigProblem } from "./problem.ts";
import { folderOf } from "./files/merge.ts";
import { buildProfiles, createServerFinder } from "./profile.ts";
import type { FileConfig, FileServer } from "./schema.ts";
import type { TrustLevel } from "../core/rule.ts";
import { passedEnvironment } from "../process/passed-environment.ts";
import { compareText } from "../text/compare-text.ts";
import { arrangeSecrets, collectLlmSecrets, collectSecrets } from "./values/secrets.ts";
import { buildStore, collectStoreSecrets, type StoreEnvironment } from "./store.ts";
import { buildIsolation, isolationAsWritten } from "./entries/server-isolation.ts";
import { objectAt } from "./entries/server-check.ts";

/** All that a config is made of, checked. */
export interface BuildInput {
  readonly files: Config["files"];
  readonly home: string;
  /** The file that a place in the tree came from. */
  readonly sourceAt: (path: KeyPath) => FileText | undefined;
  readonly file: FileConfig;
  /** The servers of the file by id: only those whose key gives one. */
  readonly servers: ReadonlyMap<string, BuildServer>;
  /** The file before its variables were expanded. */
  readonly written: unknown;
  readonly expansion: TreeExpansion;
  readonly inputs: readonly ConfigInput[];
  readonly environment: EnvironmentServers;
  readonly store: StoreEnvironment;
  /** The variables themselves. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A server of the file, as far as it could be read. */
interface BuildServer {
  readonly key: string;
  readonly entry: FileServer;
  readonly problems: readonly ConfigProblem[];
}

export function buildConfig(input: BuildInput): Config {
  const { file: settings, files, home } = input;
  const locate: Locate = (at, path) => absolutePath(folderOf(input.sourceAt(at), home), path);
  const servers = buildServers(input, settings.limits.callTimeoutMs, locate);
  const findId = createServerFinder(servers.map((server) => server.id));
  const { file: logFile, level, format } = settings.log;
  const store = buildStore(settings.store, input.store);
  return deepFreeze({
    origin: originOf(files),
    files,
    home,
    draftsFolder: join(home, "drafts"),
    servers,
    inputs: input.inputs,
    exposure: settings.exposure,
    profiles: buildProfiles(settings, findId),
    scope: settings.scope,
    trust: settings.trust,
    rules: settings.rules,
    ruleFiles: settings.rules.map((_, index) => input.sourceAt(["rules", index])?.origin.path ?? ""),
    schedules: settings.schedules,
    hooks: settings.hooks,
    calls: settings.calls,
    limits: settings.limits,
    sandbox: limitsOf(settings.sandbox),
    tools: settings.tools,
    search: buildSearch(settings.search),
    library: settings.library,
    workflows: buildWorkflows(settings.workflows, locate),
    http: buildHttp(settings.http),
    store,
    ...(input.store.replicaUrl !== undefined && { replicaUrl: input.store.replicaUrl }),
    registry: settings.registry.url === undefined ? {} : { url: settings.registry.url },
    telemetry: buildTelemetry(settings.telemetry),
    log: {
      level,
      file: logFile === undefined ? undefined : locate(["log", "file"], logFile),
      format,
    },
    secrets: findSecrets(input, servers, {
      endpoints: [settings.workflows.llm, settings.search.embeddings],
      databaseUrl: store.url,
      hookSecrets: Object.values(settings.hooks).map(({ secret }) => secret),
    }),
  });
}

/** A path in a config file is relative to that file's folder. */
type Locate = (at: KeyPath, path: string) => string;

function originOf([nearest]: Config["files"]): ConfigOrigin {
  if (nearest === undefined) return { kind: "none" };
  const { trusted: _, ...origin } = nearest;
  return origin;
}

/** Settings beside the servers that hold secrets. */
interface SecretSettings {
  readonly endpoints: readonly (LlmConfig | undefined)[];
  readonly databaseUrl: string | undefined;
  readonly hookSecrets: readonly string[];
}

function findSecrets(
  { expansion, environment, env }: BuildInput,
  servers: readonly ServerConfig[],
  { endpoints, databaseUrl, hookSecrets }: SecretSettings,
): string[] {
  const found = [
    ...expansion.secrets,
    ...[...environment.apiKeys.values()].map((key) => key.value),
    ...servers.flatMap((server) => collectSecrets(server.transport)),
    // Every server gets these: a proxy may have its password in the URL.
    ...collectSecrets({ kind: "stdio", command: "", args: [], env: passedEnvironment(env) }),
    ...servers.flatMap((server) => server.oauth?.clientSecret ?? []),
    ...collectStoreSecrets(databaseUrl, env),
    ...hookSecrets,
    ...endpoints.flatMap((endpoint) => (endpoint === undefined ? [] : collectLlmSecrets(endpoint))),
  ];
  // A reference that has no value yet is not a secret, and is shown as it is.
  const isUnresolved = (text: string): boolean =>
    expansion.unresolved.some((reference) => text.includes(reference));
  return arrangeSecrets(found.filter((text) => !isUnresolved(text)));
}

function buildWorkflows(section: FileConfig["workflows"], locate: Locate): Config["workflows"] {
  const { fileRoots, llm, ...switches } = section;
  return {
    ...switches,
    fileRoots: fileRoots.map((root) => locate(["workflows", "fileRoots"], root)),
    llm: llm === undefined ? undefined : buildLlm(llm),
  };
}

/** What VS Code has under the same name is about servers, and is in each of them by now. */
function limitsOf({
  filesystem: _files,
  network: _network,
  ...limits
}: FileConfig["sandbox"]): Config["sandbox"] {
  return limits;
}

function buildSearch({ embeddings }: FileConfig["search"]): Config["search"] {
  if (embeddings === undefined) return {};
  const { dimensions, ...endpoint } = embeddings;
  const built = buildLlm(endpoint);
  return { embeddings: dimensions === undefined ? built : Object.assign(built, { dimensions }) };
}

function buildHttp({ publicUrl, oauth, ...rest }: FileConfig["http"]): Config["http"] {
  if (oauth === undefined) return { ...rest, publicUrl };
  const { audience, jwksUrl, issuer, scopes } = oauth;
  const chosen = Object.fromEntries(Object.entries(scopes).filter(([, scope]) => scope !== undefined));
  return {
    ...rest,
    publicUrl,
    oauth: {
      issuer,
      audience,
      jwksUrl,
      scopes: chosen,
    },
  };
}

function buildTelemetry({ otlpUrl, sampleRatio }: FileConfig["telemetry"]): Config["telemetry"] {
  return { sampleRatio, otlpUrl };
}

function buildLlm({ apiKey, ...shown }: LlmConfig): LlmConfig {
  if (apiKey === undefined) return shown;
  return Object.defineProperty(shown, "apiKey", { value: apiKey, enumerable: false });
}

/** Changes nothing of the path itself: normalised, a secret in it would no longer be recognised by the redactor. */
function absolutePath(folder: string, path: string): string {
  return isAbsolute(path) ? path : `${folder}${sep}${path}`;
}

// ── servers ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function buildServers(input: BuildInput, callTimeoutMs: number, locate: Locate): ServerConfig[] {
  const fromFile = [...input.servers].map(([id, server]) =>
    serverFromFile(input, id, server, callTimeoutMs, locate),
  );
  const fromEnvironment = [...input.environment.urls.keys()]
    .filter((id) => !input.servers.has(id))
    .map((id) => serverFromEnvironment(id, callTimeoutMs, input.file.trust));
  return [...fromFile, ...fromEnvironment]
    .map((server) => withEnvironment(server, input.environment))
    .sort((a, b) => compareText(a.id, b.id));
}

function serverFromFile(
  input: BuildInput,
  id: string,
  { key, entry, problems }: BuildServer,
  callTimeoutMs: number,
  locate: Locate,
): ServerConfig {
  const place = ["mcpServers", key];
  const source = input.sourceAt(place);
  const written = objectAt(objectAt(input.written, "mcpServers"), key) ?? {};
  const kind = kindOf(entry, written);
  const isOwn = ({ path }: { path: KeyPath }): boolean => path[0] === "mcpServers" && path[1] === key;
  const inputs = input.expansion.inputs.filter(isOwn);
  return {
    id,
    key,
    declaredIn: "file",
    ...(source?.origin.path !== undefined && { file: source.origin.path }),
    enabled: entry.enabled,
    trusted: source?.trusted !== false,
    timeoutMs: entry.timeoutMs ?? callTimeoutMs,
    ...(entry.startTimeoutMs !== undefined && { startTimeoutMs: entry.startTimeoutMs }),
    tools: entry.tools,
    trust: entry.trust ?? input.file.trust,
    isPrivate: entry.private,
    ...(entry.integrity !== undefined && { integrity: entry.integrity }),
    ...(entry.installed !== undefined && { installed: withoutGaps(entry.installed) }),
    fromEnvironment: namesOf(input.expansion.uses.filter(isOwn).map(({ variable }) => variable)),
    inputs: namesOf(inputs.map((use) => use.id)),
    missingInputs: namesOf(inputs.filter(({ state }) => state === "missing").map((use) => use.id)),
    problems,
    transport: transportOf(entry, kind, (cwd) => locate(place, cwd)),
    written: transportOf(asWritten(written), kind, (cwd) => cwd),
    ...(typeof written["envFile"] === "string" && { envFile: written["envFile"] }),
    ...(entry.oauth === undefined ? {} : { oauth: buildOAuth(entry.oauth) }),
  };
}

/** Of an entry with problems the address may be what could not be read. */
function kindOf({ type }: FileServer, written: Record<string, unknown>): ServerTransport["kind"] {
  if (Object.hasOwn(written, "openapi")) return "openapi";
  if (Object.hasOwn(written, "command") || !Object.hasOwn(written, "url")) return "stdio";
  return type === "sse" ? "sse" : "http";
}

/**
 * The texts of an entry that say how it is reached. Its shape is not checked: variables may be where a url would be.
 */
function asWritten(written: Record<string, unknown>): TransportTexts {
  const text = (key: string): string | undefined =>
    typeof written[key] === "string" ? written[key] : undefined;
  const texts = (key: string): Record<string, string> =>
    Object.fromEntries(
      Object.entries(objectAt(written, key) ?? {}).filter(
        (pair): pair is [string, string] => typeof pair[1] === "string",
      ),
    );
  const args: unknown[] = Array.isArray(written["args"]) ? written["args"] : [];
  return {
    command: text("command"),
    args: args.filter((arg) => typeof arg === "string"),
    env: texts("env"),
    cwd: text("cwd"),
    ...isolationAsWritten(written),
    url: text("url"),
    headers: texts("headers"),
    openapi: text("openapi"),
    baseUrl: text("baseUrl"),
    auth: texts("auth"),
  };
}

/** Without the keys that have no value. */
function withoutGaps(installed: NonNullable<FileServer["installed"]>): InstalledFrom {
  const given = Object.entries(installed).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as unknown as InstalledFrom;
}

/** Each once, in order. */
function namesOf(names: readonly string[]): string[] {
  return [...new Set(names)].sort();
}

function buildOAuth({ clientId, clientSecret, scopes }: NonNullable<FileServer["oauth"]>): ServerOAuthConfig {
  const shown = { ...(clientId !== undefined && { clientId }), ...(scopes !== undefined && { scopes }) };
  if (clientSecret === undefined) return shown;
  return Object.defineProperty(shown, "clientSecret", { value: clientSecret, enumerable: false });
}

type TransportTexts = Pick<
  FileServer,
  | "command"
  | "args"
  | "env"
  | "cwd"
  | "url"
  | "headers"
  | "sandbox"
  | "sandboxEnabled"
  | "openapi"
  | "baseUrl"
  | "auth"
>;

function transportOf(
  entry: TransportTexts,
  kind: ServerTransport["kind"],
  locate: (cwd: string) => string,
): ServerTransport {
  if (kind === "openapi") return apiOf(entry, locate);
  if (kind !== "stdio") return { kind, url: entry.url ?? "", headers: { ...entry.headers } };
  return {
    kind,
    command: entry.command ?? "",
    args: [...(entry.args ?? [])],
    env: { ...entry.env },
    ...(entry.cwd === undefined ? {} : { cwd: locate(entry.cwd) }),
    ...buildIsolation(entry),
  };
}

function apiOf(
  { openapi = "", baseUrl, headers, auth }: TransportTexts,
  locate: (path: string) => string,
): OpenApiTransport {
  return {
    kind: "openapi",
    location: /^https?:/i.test(openapi) ? openapi : locate(openapi),
    ...(baseUrl !== undefined && { baseUrl }),
    headers: { ...headers },
    auth: { ...auth },
  };
}

// ── environment ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** A server with everything still to come from variables. */
function serverFromEnvironment(id: string, timeoutMs: number, trust: TrustLevel): ServerConfig {
  const transport: HttpTransport = { kind: "http", url: "", headers: {} };
  return {
    id,
    key: id,
    declaredIn: "environment",
    enabled: true,
    trusted: true,
    timeoutMs,
    tools: {},
    trust,
    isPrivate: false,
    fromEnvironment: [],
    inputs: [],
    missingInputs: [],
    problems: [],
    transport,
    written: transport,
  };
}

function withEnvironment(server: ServerConfig, environment: EnvironmentServers): ServerConfig {
  const enabled = environment.enabled.get(server.id)?.value ?? server.enabled;
  const own = environment.problems.filter((other) => other.server === server.id);
  const problems = [...server.problems, ...own.map(({ problem }) => problem)];
  const { transport, written } = server;
  const isReached = (one: ServerTransport): one is HttpTransport => one.kind === "http" || one.kind === "sse";
  if (!isReached(transport) || !isReached(written)) return { ...server, enabled, problems };
  const url = environment.urls.get(server.id);
  const hasOwnAuthorization = Object.keys(transport.headers).some((name) => /^authorization$/i.test(name));
  const apiKey = hasOwnAuthorization ? undefined : environment.apiKeys.get(server.id);
  const variables = [url, apiKey].flatMap((found) => found?.variable ?? []);
  return {
    ...server,
    enabled,
    problems,
    fromEnvironment: namesOf([...server.fromEnvironment, ...variables]),
    transport: withAccess(transport, url?.value, apiKey?.value),
    written: withAccess(written, referenceTo(url?.variable), referenceTo(apiKey?.variable)),
  };
}

function withAccess(
  transport: HttpTransport,
  url: string | undefined,
  apiKey: string | undefined,
): HttpTransport {
  const headers: Record<string, string> = { ...transport.headers };
  if (apiKey !== undefined) headers["Authorization"] = `Bearer ${apiKey}`;
  return { ...transport, url: url ?? transport.url, headers };
}

function referenceTo(variable: string | undefined): string | undefined {
  return variable === undefined ? undefined : `\${${variable}}`;
}
