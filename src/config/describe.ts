/**
 * A config for people's eyes: `config check --json`, `doctor`, the console. Values of env and headers never appear;
 * strings are shown as written, so `${VAR}` stays `${VAR}`.
 */
import type { WrittenRule } from "../core/rule.ts";
import { escapeUnprintable } from "../text/printable.ts";
import { createRedactor, isSecretKey, REDACTED, type Redactor } from "../text/redaction.ts";
import {
  SECTIONS_IN_NEED_OF_TRUST,
  type Config,
  type LlmConfig,
  type HttpTransport,
  type ServerConfig,
  type ServerTransport,
} from "./config.ts";
import { describeIsolation, mapIsolation } from "../process/isolation/isolation.ts";
import { formatPath, type KeyPath } from "./problem.ts";
import { fileSchema } from "./schema.ts";
import { maskTransport } from "./values/secrets.ts";

/** Everything in a config that may be shown. */
export type ConfigDescription = Omit<Config, "secrets" | "servers"> & {
  readonly servers: readonly ServerDescription[];
};

/** A server without secrets: its transport is as written, with values of env and headers hidden. */
type ServerDescription = Omit<ServerConfig, "written">;

export function describeConfig(full: Config): ConfigDescription {
  const { secrets, servers, ...rest } = withoutInputValues(full);
  const redactor = createRedactor(secrets);
  const shown = {
    ...rest,
    rules: rest.rules.map((rule) => redactor.value(rule) as WrittenRule),
    search: describeSearch(rest.search, redactor),
    workflows: describeWorkflows(rest.workflows, redactor),
    log: rest.log.file === undefined ? rest.log : { ...rest.log, file: redactor.text(rest.log.file) },
  };
  return { ...shown, servers: servers.map((server) => describeServer(server, redactor)) };
}

function describeWorkflows(workflows: Config["workflows"], redactor: Redactor): Config["workflows"] {
  const { llm } = workflows;
  const shown = { ...workflows, fileRoots: showAll(workflows.fileRoots, redactor) };
  if (llm === undefined) return shown;
  return { ...shown, llm: describeEndpoint(llm, redactor) };
}

function describeSearch({ embeddings }: Config["search"], redactor: Redactor): Config["search"] {
  if (embeddings === undefined) return {};
  const { dimensions } = embeddings;
  const shown = describeEndpoint(embeddings, redactor);
  return { embeddings: { ...shown, ...(dimensions !== undefined && { dimensions }) } };
}

function describeEndpoint(endpoint: LlmConfig, redactor: Redactor): LlmConfig {
  const { url } = maskTransport({ kind: "http", url: endpoint.url, headers: {} }) as HttpTransport;
  return { url: redactor.text(url), model: redactor.text(endpoint.model) };
}

function describeServer(server: ServerConfig, redactor: Redactor): ServerDescription {
  const { written, tools, ...rest } = server;
  return {
    ...rest,
    tools: {
      ...(tools.allow === undefined ? {} : { allow: showAll(tools.allow, redactor) }),
      ...(tools.deny === undefined ? {} : { deny: showAll(tools.deny, redactor) }),
      ...(tools.exceptCapabilities === undefined ? {} : { exceptCapabilities: tools.exceptCapabilities }),
      ...(tools.effects === undefined ? {} : { effects: tools.effects }),
      ...(tools.private === undefined ? {} : { private: showAll(tools.private, redactor) }),
      ...(tools.sends === undefined ? {} : { sends: showAll(tools.sends, redactor) }),
    },
    transport: showTransport(maskTransport(written), redactor),
  };
}

function showAll(texts: readonly string[], redactor: Redactor): string[] {
  return texts.map((text) => redactor.text(text));
}

function showTransport(masked: ServerTransport, redactor: Redactor): ServerTransport {
  const show = (text: string): string => showWritten(text, redactor);
  if (masked.kind === "openapi") {
    const { location, baseUrl } = masked;
    return { ...masked, location: show(location), ...(baseUrl !== undefined && { baseUrl: show(baseUrl) }) };
  }
  if (masked.kind !== "stdio") return { ...masked, url: show(masked.url) };
  const cwd = masked.cwd === undefined ? {} : { cwd: show(masked.cwd) };
  const isolation = masked.isolation === undefined ? {} : { isolation: mapIsolation(masked.isolation, show) };
  return { ...masked, command: show(masked.command), args: masked.args.map(show), ...cwd, ...isolation };
}

/** Redacts between the references, so that `?token=${TOKEN}` keeps its reference; a secret's default is hidden. */
function showWritten(text: string, redactor: Redactor): string {
  const parts = text.split(/(\$\{[^}]*\})/);
  const shown = parts.map((part, index) =>
    index % 2 === 0 ? redactor.text(part) : showReference(part, redactor),
  );
  return shown.join("");
}

function showReference(reference: string, redactor: Redactor): string {
  const parts = /^\$\{((?:env:)?(\w+)):-(.*)\}$/s.exec(reference);
  if (parts === null) return reference;
  const [, name, variable, otherwise] = parts;
  return `\${${name}:-${isSecretKey(variable!) ? REDACTED : redactor.text(otherwise!)}}`;
}

// ── inputs ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * The redactor knows long values only. The places of the values of inputs are known, so none is shown, however short.
 */
function withoutInputValues(config: Config): Config {
  const kept = config.inputs.filter(({ state }) => state === "kept").flatMap(({ paths }) => paths);
  let shown = config;
  for (const path of kept) {
    const index = path[0] === "mcpServers" ? shown.servers.findIndex(({ key }) => key === path[1]) : -1;
    shown = hideAt(shown, index === -1 ? path : ["servers", index, ...path.slice(2)]) as Config;
  }
  return shown;
}

/** A copy with something else at a path; a path that leads nowhere, such as one into a transport, changes nothing. */
function hideAt(tree: unknown, [key, ...rest]: KeyPath): unknown {
  if (key === undefined) return REDACTED;
  if (typeof tree !== "object" || tree === null || !Object.hasOwn(tree, key)) return tree;
  if (Array.isArray(tree)) return tree.map((item, index) => (index === key ? hideAt(item, rest) : item));
  return { ...tree, [key]: hideAt((tree as Record<string | number, unknown>)[key], rest) };
}

// ── before a file is trusted: cut nowhere, with characters that would not show on a terminal escaped ────────────────

/** Exactly what would be started or called. */
export type ServerForTrust = {
  readonly key: string;
  readonly id: string;
  /** Variables whose values the server would be given. */
  readonly variables: readonly string[];
  /** Inputs whose values the server would be given: also those that were given for another file. */
  readonly inputs: readonly string[];
} & (
  | {
      readonly kind: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly cwd?: string;
      readonly envNames: readonly string[];
      /** What it could reach in its sandbox; absent for one that runs without. */
      readonly sandbox?: string;
      /** Whose variables the command would be given as well. */
      readonly envFile?: string;
    }
  | {
      readonly kind: "http" | "sse" | "openapi";
      /** Of an API, where its description is. */
      readonly url: string;
      /** Where the API is, if the file says so. */
      readonly baseUrl?: string;
      readonly headerNames: readonly string[];
    }
);

/**
 * The servers of the nearest file as they are written in it, with `${VAR}` unexpanded: the trust is bound to those
 * bytes.
 */
export function describeServersForTrust(config: Config): ServerForTrust[] {
  const fromFile = config.servers.filter(
    ({ declaredIn, file }) => declaredIn === "file" && file === config.origin.path,
  );
  return fromFile.map(({ key, id, fromEnvironment, inputs, written, envFile }) => {
    const named = { key: escapeUnprintable(key), id, variables: fromEnvironment, inputs };
    if (written.kind === "openapi") {
      const { location, baseUrl } = written;
      return {
        ...named,
        kind: written.kind,
        url: escapeUnprintable(location),
        ...(baseUrl !== undefined && { baseUrl: escapeUnprintable(baseUrl) }),
        headerNames: Object.keys(written.headers).map(escapeUnprintable),
      };
    }
    if (written.kind !== "stdio") {
      return {
        ...named,
        kind: written.kind,
        url: escapeUnprintable(written.url),
        headerNames: Object.keys(written.headers).map(escapeUnprintable),
      };
    }
    return {
      ...named,
      kind: written.kind,
      command: escapeUnprintable(written.command),
      args: written.args.map(escapeUnprintable),
      ...(written.cwd === undefined ? {} : { cwd: escapeUnprintable(written.cwd) }),
      envNames: Object.keys(written.env).map(escapeUnprintable),
      ...(written.isolation !== undefined && {
        sandbox: escapeUnprintable(describeIsolation(written.isolation)),
      }),
      ...(envFile !== undefined && { envFile: escapeUnprintable(envFile) }),
    };
  });
}

/** Whether the file that is to be trusted has a value at a place; other files may differ. */
type IsWritten = (path: KeyPath) => boolean;

/**
 * Every setting that trusting the file would change from its default, such as `workflows.allowShell`, with its value as
 * JSON. For a config that was loaded with `assumeTrusted`: otherwise these settings are not in it.
 */
export function describeSettingsForTrust(
  full: Config,
  isWritten: IsWritten = () => true,
): { path: string; value: string }[] {
  const config = withoutInputValues(full);
  const defaults = fileSchema.parse({}, { jitless: true });
  const redactor = createRedactor(config.secrets);
  const settings = SECTIONS_IN_NEED_OF_TRUST.flatMap((section) => {
    const [value, usual] = [shownSection(config, section), defaults[section]] as const;
    if (typeof value === "string" || Array.isArray(value)) return [{ path: [section], value, usual }];
    const inner = (typeof usual === "object" ? usual : {}) as Record<string, unknown>;
    return Object.entries(value).map(([key, setting]) => ({
      path: [section, key],
      value: setting as unknown,
      usual: inner[key],
    }));
  });
  return settings
    .filter(({ path, value, usual }) => isWritten(path) && JSON.stringify(value) !== JSON.stringify(usual))
    .map(({ path, value }) => ({
      path: escapeUnprintable(formatPath(path)),
      value: escapeUnprintable(redactor.text(JSON.stringify(value))),
    }));
}

/** What of the URL of the store may be shown is under its key, so that a file that moves the store says so. */
function shownSection(config: Config, section: (typeof SECTIONS_IN_NEED_OF_TRUST)[number]) {
  if (section !== "store") return config[section];
  const { place, ...rest } = config.store;
  return { ...rest, ...(place !== undefined && { url: place }) };
}

/**
 * Where the settings would be given the value of an input, such as `workflows.llm.apiKey`; the servers say it for
 * themselves.
 */
export function describeInputsForTrust(
  config: Config,
  isWritten: IsWritten = () => true,
): { path: string; input: string }[] {
  return config.inputs.flatMap(({ id, paths }) =>
    paths
      .filter((path) => path[0] !== "mcpServers" && isWritten(path))
      .map((path) => ({ path: escapeUnprintable(formatPath(path)), input: id })),
  );
}
