/**
 * Where the store is, as the file and the environment say. The URL of a database is a secret as a whole: what may be
 * shown of it is its place, `host/database`.
 */
import { hostname } from "node:os";
import type { Config, StoreConfig } from "./config.ts";
import { placeOfDatabase } from "../text/database-place.ts";
import { isHttpUrl, type ValueProblem } from "./http.ts";
import { readVariable, type Environment } from "./locate.ts";
import type { ConfigProblem } from "./problem.ts";

const DATABASE_VARIABLE = "REPERTOIRE_DATABASE_URL";
const REPLICA_VARIABLE = "REPERTOIRE_REPLICA_URL";

const URL_HINT = "write it as postgres://user:password@host:5432/database";

export function findDatabaseUrlProblem(value: string): ValueProblem | undefined {
  if (!/^postgres(?:ql)?:\/\//i.test(value)) {
    return { message: "must begin with postgres:// or postgresql://", hint: URL_HINT };
  }
  // What follows would be lost without a word: a password may have this character.
  if (value.includes("#")) return { message: 'has a "#"', hint: "write %23 for it, also in the password" };
  const url = URL.parse(value);
  if (url === null) {
    const hint = `${URL_HINT}, with one host; percent-encode characters such as @ and / in the password`;
    return { message: "is not a URL", hint };
  }
  if (!canDecode(value)) return { message: 'has a "%" that encodes nothing', hint: "write %25 for it" };
  return databaseOf(url) === "" ? { message: "names no database", hint: URL_HINT } : undefined;
}

function canDecode(value: string): boolean {
  try {
    decodeURIComponent(value);
    return true;
  } catch {
    return false;
  }
}

function databaseOf(url: URL): string {
  return decodeURIComponent(url.pathname.slice(1));
}

/** The URL, and the passwords in it as they are written and as they are meant. */
export function collectStoreSecrets(value: string | undefined, env: Environment): string[] {
  if (value === undefined) return [];
  const url = new URL(value);
  const parameters = ["password", "sslpassword"].flatMap((name) => url.searchParams.get(name) ?? []);
  // The driver takes it where the URL has no password.
  const fromEnvironment = readVariable(env, "PGPASSWORD") ?? "";
  const found = [value, url.password, decodeURIComponent(url.password), ...parameters, fromEnvironment];
  return found.filter((text) => text !== "");
}

/** What the environment says of the store and of this replica's address. Both are the user's own, so they need no trust. */
export interface StoreEnvironment {
  readonly url?: string;
  readonly replicaUrl?: string;
  readonly problems: readonly ConfigProblem[];
}

export function readStoreEnvironment(env: Environment): StoreEnvironment {
  const url = readVariable(env, DATABASE_VARIABLE) || undefined;
  const replicaUrl = readVariable(env, REPLICA_VARIABLE) || undefined;
  return {
    ...(url !== undefined && { url }),
    ...(replicaUrl !== undefined && { replicaUrl }),
    problems: [
      ...complain(DATABASE_VARIABLE, url === undefined ? undefined : findDatabaseUrlProblem(url)),
      ...complain(REPLICA_VARIABLE, replicaUrl === undefined ? undefined : findReplicaUrlProblem(replicaUrl)),
    ],
  };
}

function complain(variable: string, problem: ValueProblem | undefined): ConfigProblem[] {
  return problem === undefined ? [] : [{ file: "environment", path: variable, ...problem }];
}

/** The other replicas put the path of a request behind it. */
function findReplicaUrlProblem(value: string): ValueProblem | undefined {
  const hint = "write it as http://host:port, as the other replicas reach this one";
  const url = URL.parse(value);
  if (url === null) return { message: "is not a URL", hint };
  if (!isHttpUrl(url)) return { message: "must begin with http:// or https://", hint };
  if (url.username !== "" || url.password !== "") {
    return { message: "must not contain a user name or password", hint };
  }
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "") {
    return { message: "must have nothing behind the port", hint };
  }
  return undefined;
}

/** The section of the file, with what the environment says in its place. */
export function buildStore(
  { url: written, ...rest }: Omit<StoreConfig, "place">,
  environment: StoreEnvironment,
): StoreConfig {
  const url = environment.url ?? written;
  if (url === undefined) return rest;
  const shown = { ...rest, place: placeOfDatabase(url) };
  return Object.defineProperty(shown, "url", { value: url, enumerable: false });
}

/** Addresses that mean all of a machine's: no other machine can connect to them. */
const WILDCARDS: ReadonlySet<string> = new Set(["0.0.0.0", "::", ""]);

/**
 * Where other replicas reach this one, without a slash at the end: as `REPERTOIRE_REPLICA_URL` says; else the address that
 * it listens on, and for all addresses of the machine, its name.
 */
export function replicaUrlOf(
  { replicaUrl }: Pick<Config, "replicaUrl">,
  { host, port }: { readonly host: string; readonly port: number },
  machine = hostname(),
): string {
  if (replicaUrl !== undefined) return new URL(replicaUrl).origin;
  const name = WILDCARDS.has(host) ? machine : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}
