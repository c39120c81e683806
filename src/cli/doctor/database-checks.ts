/** What a gateway on PostgreSQL needs: of the server, of the connection to it, and of its own environment. */
import type { DatabaseReport, StoreBroken } from "../../app/store/database-report.ts";
import type { Config } from "../../config/config.ts";
import { commandLine } from "../command-line.ts";
import type { GlobalOptions } from "../global-options.ts";
import { countOf, listOf } from "../terminal/wording.ts";
import { shellWord, type Check } from "./check.ts";

/** The oldest version that is tested. */
const VERSION_MIN = 150_000;
/** Leases are measured by the server's clock alone; what people read of times is not. */
const SKEW_MAX_MS = 2_000;

const name = "store";

/** A command of PostgreSQL's own client, without a secret in it. */
function psql(url: URL, isVariable: boolean, ...statements: readonly string[]): string {
  const target = isVariable
    ? ['"$REPERTOIRE_DATABASE_URL"']
    : [...hostWords(url), "-d", shellWord(url.pathname.slice(1))];
  return ["psql", ...target, ...statements.flatMap((text) => ["-c", shellWord(text)])].join(" ");
}

function hostWords({ hostname, port }: URL): string[] {
  return [
    ...(hostname === "" ? [] : ["-h", shellWord(hostname)]),
    ...(port === "" ? [] : ["-p", shellWord(port)]),
  ];
}

export interface DatabaseCheckDeps {
  readonly store: Config["store"];
  readonly options: GlobalOptions;
  readonly latestVersion: number;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** No connection came about. */
export function describeBroken(
  { code, message, hint }: StoreBroken,
  { store, env }: DatabaseCheckDeps,
): Check {
  const url = new URL(store.url!);
  const cure =
    code === "STORE_BUSY"
      ? ["pg_isready", ...hostWords(url)].join(" ")
      : psql(url, isFromEnvironment(env), "select 1");
  return { name, state: "failed", message, cure, ...(hint !== undefined && { advice: hint }) };
}

function isFromEnvironment(env: DatabaseCheckDeps["env"]): boolean {
  return (env["REPERTOIRE_DATABASE_URL"] ?? "") !== "";
}

/** The server as it says that it is: one line if all is well, and one for each thing that is not. */
export function checkDatabase(report: DatabaseReport, deps: DatabaseCheckDeps): Check[] {
  const found = [
    checkVersion(report, deps),
    checkDurability(report, deps),
    checkClock(report),
    checkConnections(report, deps),
    checkSchema(report, deps),
    checkPooler(report, deps),
  ].flat();
  const hasFailed = found.some(({ state }) => state === "failed");
  const replicas =
    report.replicaCount === 0 ? "no gateway runs" : `${countOf(report.replicaCount, "gateway")} on it`;
  const message = `PostgreSQL ${report.version} at ${report.place}, ${replicas}`;
  return [...(hasFailed ? [] : [{ name, state: "ok", message } as const]), ...found];
}

function checkVersion({ version, versionNumber, place }: DatabaseReport, deps: DatabaseCheckDeps): Check[] {
  if (versionNumber >= VERSION_MIN) return [];
  const message = `PostgreSQL ${version} at ${place} is too old: 15 or later is needed`;
  const cure = psql(new URL(deps.store.url!), isFromEnvironment(deps.env), "show server_version");
  return [{ name, state: "failed", message, cure, advice: "Upgrade the database server." }];
}

function checkDurability(report: DatabaseReport, deps: DatabaseCheckDeps): Check[] {
  const set = (setting: string): string =>
    psql(
      new URL(deps.store.url!),
      isFromEnvironment(deps.env),
      `alter system set ${setting} = on`,
      "select pg_reload_conf()",
    );
  if (report.fsync === "off") {
    const message = "the database has fsync off: a power cut can damage everything in it";
    return [{ name, state: "failed", message, cure: set("fsync") }];
  }
  if (report.synchronousCommit !== "off") return [];
  const message =
    "the database has synchronous_commit off: what was reported as saved can be lost when its machine fails";
  const advice = "A step that was recorded and lost is made again by a resumed run.";
  return [{ name, state: "warning", message, cure: set("synchronous_commit"), advice }];
}

function checkClock({ clockSkewMs }: DatabaseReport): Check[] {
  if (Math.abs(clockSkewMs) <= SKEW_MAX_MS) return [];
  const seconds = (Math.abs(clockSkewMs) / 1000).toFixed(1);
  const side = clockSkewMs > 0 ? "ahead of" : "behind";
  const message = `the database's clock is ${seconds} s ${side} this machine's`;
  const advice = "Set both by NTP. Tokens and links end by one clock, and times that people read differ.";
  return [{ name, state: "warning", message, cure: "timedatectl status", advice }];
}

function checkConnections(report: DatabaseReport, { store, env }: DatabaseCheckDeps): Check[] {
  const { connectionsMax, connectionsReserved, hasPooler } = report;
  // This one may be among them or not; a gateway that is started now needs room as well.
  const replicaCount = Math.max(1, report.replicaCount);
  const needed = replicaCount * store.poolSize;
  const free = connectionsMax - connectionsReserved;
  if (hasPooler || needed <= free) return [];
  const message = `${countOf(replicaCount, "gateway")} with ${store.poolSize} connections each need ${needed}; the database has ${free}`;
  const most = Math.ceil((needed + connectionsReserved + 10) / 10) * 10;
  const statement = `alter system set max_connections = ${most}`;
  const cure = psql(new URL(store.url!), isFromEnvironment(env), statement);
  const advice = "It counts after a restart of the database. Or set store.poolSize lower, or use a pooler.";
  return [{ name, state: "warning", message, cure, advice }];
}

function checkSchema({ schema }: DatabaseReport, { latestVersion, options }: DatabaseCheckDeps): Check[] {
  const cure = commandLine(["migrate"], options);
  if (schema === undefined) {
    const message = "the database has no tables yet; the first gateway makes them";
    return [{ name, state: "warning", message, cure }];
  }
  const { version, usableFrom } = schema;
  if (usableFrom > latestVersion) {
    const message = `a newer Repertoire has changed the database to schema version ${version}; this one knows ${latestVersion}`;
    return [{ name, state: "failed", message, cure: "npm install --global repertoire@latest" }];
  }
  if (version < latestVersion) {
    const message = `the database has schema version ${version}; the next gateway brings it to ${latestVersion}`;
    return [{ name, state: "warning", message, cure }];
  }
  const newer = `a newer Repertoire has brought the database to schema version ${version}; this one (${latestVersion}) still works on it`;
  return version === latestVersion ? [] : [{ name, state: "ok", message: newer }];
}

function checkPooler({ hasPooler }: DatabaseReport, { store, options }: DatabaseCheckDeps): Check[] {
  if (!hasPooler || store.pooler) return [];
  const message = "a pooler such as PgBouncer is in front of the database, and store.pooler is not set";
  const advice =
    'Add "store": { "pooler": true } to the config. In transaction mode, statements that are prepared fail otherwise.';
  return [{ name, state: "warning", message, cure: commandLine(["config", "path"], options), advice }];
}

/** What this machine brings for a gateway among several. */
export async function checkReplica(
  config: Pick<Config, "replicaUrl" | "servers">,
  { hasSecretKey, makeKey, reach }: ReplicaCheckDeps,
): Promise<Check[]> {
  return [
    ...(hasSecretKey ? [] : [describeMissingKey(makeKey)]),
    ...(config.replicaUrl === undefined ? [] : await checkReplicaUrl(config.replicaUrl, reach)),
    ...describePrograms(config.servers),
  ];
}

export interface ReplicaCheckDeps {
  readonly hasSecretKey: boolean;
  /** The command that prints a key. */
  readonly makeKey: string;
  /** Whether something answers there. */
  readonly reach: (url: string) => Promise<boolean>;
}

function describeMissingKey(makeKey: string): Check {
  return {
    name: "secrets",
    state: "warning",
    message: "REPERTOIRE_SECRET_KEY is not set: logins and inputs cannot be stored in the database",
    cure: `export REPERTOIRE_SECRET_KEY=$(${makeKey})`,
    advice: "Give every gateway the same key, and store it apart from the database and its backups.",
  };
}

async function checkReplicaUrl(url: string, reach: ReplicaCheckDeps["reach"]): Promise<Check[]> {
  if (await reach(url)) return [{ name, state: "ok", message: `a gateway answers at ${url}` }];
  return [
    {
      name,
      state: "warning",
      message: `nothing answers at ${url} (REPERTOIRE_REPLICA_URL)`,
      cure: `curl ${shellWord(`${url}/health/live`)}`,
      advice: "It must be an address at which the other gateways reach this one, and the gateway must run.",
    },
  ];
}

function describePrograms(servers: Config["servers"]): Check[] {
  const programs = servers.filter(({ enabled, transport }) => enabled && transport.kind === "stdio");
  if (programs.length === 0) return [];
  return [
    {
      name: "servers",
      state: "ok",
      message: `one process for each gateway: ${listOf(programs.map(({ id }) => id))}`,
      advice:
        "What they store in memory or on disk differs between gateways. Run one that stores something once, over HTTP.",
    },
  ];
}
