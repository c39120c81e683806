import type { Isolation } from "../process/isolation/isolation.ts";
import type { LogFormat, LogLevel } from "../core/log.ts";
import type { Scope } from "../core/names.ts";
import type { Permission } from "../core/principal.ts";
import type { Effect, TrustLevel, WrittenRule } from "../core/rule.ts";
import type { KeyPath, ConfigProblem } from "./problem.ts";

/**
 * Everything that was configured, in one deeply frozen object. A reload makes a new one; this one never changes.
 * Paths are absolute, variables are expanded, defaults are filled in.
 */
export interface Config {
  /** The nearest file. */
  readonly origin: ConfigOrigin;
  /** All files that there are, the nearest first; one that is not trusted only lists its servers. */
  readonly files: readonly (ConfigOrigin & { readonly trusted: boolean })[];
  /** The folder of everything that must survive; readable by its owner only. */
  readonly home: string;
  readonly draftsFolder: string;
  /** In the order of their ids. */
  readonly servers: readonly ServerConfig[];
  /** In the order of their ids; what they hold is not in here. */
  readonly inputs: readonly ConfigInput[];
  readonly exposure: Exposure;
  /** Without a prototype, so that `profiles["constructor"]` is undefined. */
  readonly profiles: Readonly<Record<string, ProfileConfig>>;
  readonly scope: Scope;
  /** What happens to new and changed definitions, and which rules come after those of the config. */
  readonly trust: TrustLevel;
  /** In their order: the user's own before those of a project. */
  readonly rules: readonly WrittenRule[];
  /** By name. */
  readonly schedules: Readonly<Record<string, ScheduleConfig>>;
  /** By id. */
  readonly hooks: Readonly<Record<string, HookConfig>>;
  /** The file of each rule, in the same order. */
  readonly ruleFiles: readonly string[];
  readonly calls: CallsConfig;
  readonly limits: LimitsConfig;
  readonly sandbox: SandboxConfig;
  readonly tools: ToolsConfig;
  readonly search: SearchConfig;
  readonly library: LibraryConfig;
  readonly workflows: WorkflowsConfig;
  readonly http: HttpConfig;
  readonly store: StoreConfig;
  /** Where other replicas reach this one, where the environment says so; see `replicaUrlOf`. */
  readonly replicaUrl?: string;
  readonly registry: RegistryConfig;
  readonly telemetry: TelemetryConfig;
  readonly log: LogConfig;
  /** Exact values that must never be shown, the longest first. For `createRedactor`; never for output. */
  readonly secrets: readonly string[];
}

/** Where the config came from: `--config`, the project folder, the user's config folder, or nowhere. */
export interface ConfigOrigin {
  readonly kind: "flag" | "project" | "user" | "none";
  readonly path?: string;
  /** Of the exact bytes of the file. */
  readonly sha256?: string;
}

export const EXPOSURES = ["lean", "full", "auto"] as const;
type Exposure = (typeof EXPOSURES)[number];
export const NAMINGS = ["prefixed", "bare"] as const;
type Naming = (typeof NAMINGS)[number];

export interface ServerConfig {
  readonly id: string;
  /** As it is written in `mcpServers`; for a server from the environment, its id. */
  readonly key: string;
  readonly declaredIn: "file" | "environment";
  /** The file that declares it. */
  readonly file?: string;
  readonly enabled: boolean;
  /** A server that is not trusted is listed and never started. */
  readonly trusted: boolean;
  /** How long one call may take. */
  readonly timeoutMs: number;
  /** How long its process may take to start, where the config says so. */
  readonly startTimeoutMs?: number;
  readonly tools: ToolLists;
  /** What happens to new and changed definitions of this server. */
  readonly trust: TrustLevel;
  /** What its tools answer is private: a run that has seen it may not send it on unasked. */
  readonly isPrivate: boolean;
  /** The names of the environment variables that went into it. */
  readonly fromEnvironment: readonly string[];
  /** The ids of the inputs that it takes. */
  readonly inputs: readonly string[];
  /** Those of them that have no value: until they do, the server is not started. */
  readonly missingInputs: readonly string[];
  /** What keeps it from being started, with the cure for each: the server is listed, and says so to every caller. */
  readonly problems: readonly ConfigProblem[];
  readonly transport: ServerTransport;
  /** Of the npm package that its command runs, as the registry had it when it was pinned. */
  readonly integrity?: string;
  /** Where it came from, if `add` took it from a registry or a bundle. */
  readonly installed?: InstalledFrom;
  /** The file of variables for its command, as written. */
  readonly envFile?: string;
  /** How the user logs in to a remote server, where that is not found out from the server itself. */
  readonly oauth?: ServerOAuthConfig;
  /** The transport as written, with `${VAR}` in place of values: what may be shown, through `describeConfig`. */
  readonly written: ServerTransport;
}

/** Where a server came from. Another one of these is another server. */
export interface InstalledFrom {
  readonly name: string;
  readonly version: string;
  readonly registry?: string;
  /** Of the file that was published. */
  readonly sha256?: string;
  /** Where its bundle was unpacked, below `<home>/bundles`. */
  readonly bundle?: string;
  /** Of the list of the files of the bundle. */
  readonly files?: string;
}

/** The MCP registry that servers are found in. */
interface RegistryConfig {
  readonly url?: string;
}

export interface ServerOAuthConfig {
  readonly clientId?: string;
  /** Not enumerable: code that copies, shows or logs the section does not show it. */
  readonly clientSecret?: string;
  readonly scopes?: readonly string[];
}

/** A value that a person is asked for, as the file declares or uses it. */
export interface ConfigInput {
  readonly id: string;
  readonly type: "promptString" | "pickString";
  readonly description?: string;
  readonly options?: readonly InputOption[];
  /** Whether it is hidden while it is typed. */
  readonly isPassword: boolean;
  /** Whether there is a value; `unread` where the file is not trusted with it. */
  readonly state: "kept" | "default" | "missing" | "unread" | "unused";
  /** Whether something that is switched on takes it. */
  readonly isNeeded: boolean;
  /** The ids of the servers that take it. */
  readonly servers: readonly string[];
  /** Its place in the file. */
  readonly paths: readonly KeyPath[];
}

export interface InputOption {
  readonly label: string;
  readonly value: string;
}

/** By the names that the server itself gives its tools. */
interface ToolLists {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  /** Capabilities may still use the others. */
  readonly exceptCapabilities?: boolean;
  /** The effects of tools by pattern, in place of what the server says. */
  readonly effects?: Readonly<Record<string, Effect>>;
  /** Patterns of tools whose answers are private. */
  readonly private?: readonly string[];
  /** Patterns of tools that send something out. */
  readonly sends?: readonly string[];
}

export type ServerTransport = StdioTransport | HttpTransport | OpenApiTransport;

interface StdioTransport {
  readonly kind: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** What it may reach, for a server that runs in a sandbox. */
  readonly isolation?: Isolation;
}

export interface HttpTransport {
  readonly kind: "http" | "sse";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** An HTTP API that is no MCP server, as its OpenAPI description has it. */
export interface OpenApiTransport {
  readonly kind: "openapi";
  /** Where the description is: an absolute path, or an address. */
  readonly location: string;
  /** Where the API is, in place of what the description says. */
  readonly baseUrl?: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Of one kind (`type`), or values by the names of the description's security schemes. */
  readonly auth: Readonly<Record<string, string>>;
}

/** A named view of the gateway. `servers` and `transparent` hold server ids. */
export interface ProfileConfig {
  readonly servers?: readonly string[];
  /** By exposed name, with `*` for any characters. */
  readonly tools?: NamePatterns;
  /** By `namespace:action`, with `*` for any characters. */
  readonly capabilities?: NamePatterns;
  /** The names that clients see, by exposed name. */
  readonly rename?: Readonly<Record<string, string>>;
  /** What tools of servers are called: by exposed names, or by the servers' own. */
  readonly names?: Naming;
  /** The descriptions that clients see, by exposed name. */
  readonly describe?: Readonly<Record<string, string>>;
  readonly exposure?: Exposure;
  /** The one server that the profile fronts, without prefixes and meta-tools. */
  readonly transparent?: string;
}

/** What is allowed, or all, without what is denied. */
interface NamePatterns {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
}

interface LimitsConfig {
  readonly connectTimeoutMs: number;
  readonly callTimeoutMs: number;
  /** 0 means that an idle server is never stopped. */
  readonly serverIdleMs: number;
  /** How long a question to a person can be answered, and the answer used. */
  readonly approvalMs: number;
}

/** The log of calls. */
interface CallsConfig {
  /** How long an entry is kept. */
  readonly days: number;
  /** Whether arguments are kept, redacted; without it, only their digest is. */
  readonly arguments: boolean;
}

interface SandboxConfig {
  readonly timeoutMs: number;
  readonly memoryMb: number;
  readonly callsMax: number;
  readonly callsAtOnceMax: number;
}

export const SUSPICIOUS_TOOLS = ["warn", "block"] as const;

interface ToolsConfig {
  readonly suspicious: (typeof SUSPICIOUS_TOOLS)[number];
}

interface SearchConfig {
  readonly embeddings?: EmbeddingsConfig;
}

export const CHANGED_TOOLS = ["warn", "refuse"] as const;

interface LibraryConfig {
  readonly changedTools: (typeof CHANGED_TOOLS)[number];
}

interface WorkflowsConfig {
  readonly allowShell: boolean;
  readonly allowPrivateHttp: boolean;
  readonly fileRoots: readonly string[];
  readonly llm?: LlmConfig;
}

/** An OpenAI-compatible endpoint that the llm node asks where the client offers no sampling. */
export interface LlmConfig {
  readonly url: string;
  readonly model: string;
  /** Not enumerable: code that copies, shows or logs the section does not show the key. */
  readonly apiKey?: string;
}

/** An OpenAI-compatible endpoint that says what texts mean. Its key is not enumerable either. */
interface EmbeddingsConfig extends LlmConfig {
  readonly dimensions?: number;
}

/** How clients connect over HTTP. */
interface HttpConfig {
  readonly host: string;
  readonly port: number;
  /**
   * The address that clients use, where it is not the one listened on: behind a proxy. It names the resource for OAuth.
   */
  readonly publicUrl?: string;
  /** Names in the Host header beside the listening address and that of `publicUrl`. */
  readonly allowedHosts: readonly string[];
  /** Web origins that may use the endpoint, such as https://app.example.com. */
  readonly allowedOrigins: readonly string[];
  readonly oauth?: HttpOAuthConfig;
  readonly console: {
    /** Whether programs can be added over the API although other machines can reach the gateway. */
    readonly addPrograms: boolean;
  };
}

/** Whose access tokens are taken, beside the gateway's own. */
interface HttpOAuthConfig {
  readonly issuer: string;
  /** Without it, the address of the resource. */
  readonly audience?: string;
  /** Without it, the one that the issuer's metadata name. */
  readonly jwksUrl?: string;
  /** Scopes of the issuer that grant a permission, where their names differ from it. */
  readonly scopes: Readonly<Partial<Record<Permission, string>>>;
}

/** Where everything is kept that must survive: in a file of the home, or in PostgreSQL, for several gateways at once. */
export interface StoreConfig {
  /** Of the database; without it, the file. Not enumerable: code that copies, shows or logs the section does not show it. */
  readonly url?: string;
  /** `host/database`: what is shown of the URL. */
  readonly place?: string;
  /** How many connections one gateway has at most. */
  readonly poolSize: number;
  /** Whether a pooler such as PgBouncer is in front, which gives each transaction another connection. */
  readonly pooler: boolean;
  /** How long an operation waits while the database is away, and how long the gateway counts as ready without it. */
  readonly waitMs: number;
}

/** What is started, and with what. */
interface StartedTool {
  /** `namespace:action` or `mcp__namespace__action`. */
  readonly tool: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly profile?: string | undefined;
  readonly enabled: boolean;
}

/** A kept tool that runs by itself at certain times. */
export interface ScheduleConfig extends StartedTool {
  readonly cron: string;
  readonly timezone?: string | undefined;
}

/** A kept tool that another system starts with a signed request. */
export interface HookConfig extends StartedTool {
  readonly secret: string;
  /** The input that gets the JSON of the body. */
  readonly payload?: string | undefined;
}

interface TelemetryConfig {
  /** The OTLP/HTTP endpoint that traces go to, such as http://localhost:4318; without it, none are made. */
  readonly otlpUrl?: string;
  /** The share of new traces that are kept, 0 to 1. */
  readonly sampleRatio: number;
}

interface LogConfig {
  readonly level: LogLevel;
  readonly file?: string;
  readonly format?: LogFormat;
}

/** The parts of a project file that have no effect until it is trusted; its servers are listed and not started. */
export const SECTIONS_IN_NEED_OF_TRUST = [
  "exposure",
  "profiles",
  "scope",
  "trust",
  "rules",
  "schedules",
  "hooks",
  "calls",
  "limits",
  "sandbox",
  "tools",
  "search",
  "library",
  "workflows",
  "http",
  "store",
  "registry",
  "telemetry",
  "log",
] as const;

/** Freezes a tree of plain data, and returns it. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const child of Object.values(value)) deepFreeze(child);
  return value;
}
