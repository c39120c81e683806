/** Debian's PgBouncer in transaction mode in front of a PostgreSQL, as another user where the tests run as root. */
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "./free-port.ts";
import { launchWatched, readLog } from "./postgres-process.ts";
import { findAccount } from "./postgres-programs.ts";

const PROGRAM = "/usr/sbin/pgbouncer";
/** Far beyond what a start needs, also on a busy machine. */
const PATIENCE_MS = 30_000;

export function hasPgBouncer(): boolean {
  return existsSync(PROGRAM);
}

export interface PgBouncer {
  /** The same database through the pooler. */
  urlOf(url: string): string;
  close(): Promise<void>;
}

/** Nothing is set that Debian's package does not set, but for the mode: a gateway must do without. */
function configOf(serverUrl: string, port: number): string {
  const { username, port: serverPort } = new URL(serverUrl);
  return `[databases]
* = host=127.0.0.1 port=${serverPort} user=${username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 10
max_client_conn = 200
`;
}

/** In front of the server of this url, for all of its databases. */
export async function startPgBouncer(serverUrl: string): Promise<PgBouncer> {
  const folder = mkdtempSync(join(tmpdir(), "repertoire-pgbouncer-"));
  const account = findAccount();
  const file = join(folder, "pgbouncer.ini");
  const port = await freePort();
  writeFileSync(file, configOf(serverUrl, port));
  for (const path of [folder, file]) if (account !== undefined) chownSync(path, account.uid, account.gid);
  const program = launchWatched({ folder, account }, [PROGRAM, "-q", file]);
  const end = performance.now() + PATIENCE_MS;
  while (!(await takesConnections(port))) {
    if (program.isOver() || performance.now() > end)
      throw new Error(`PgBouncer did not start: ${readLog(folder)}`);
    await sleep(20);
  }
  return {
    urlOf: (url) => Object.assign(new URL(url), { port: String(port) }).href,
    async close() {
      await program.stop("immediate");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function takesConnections(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, "127.0.0.1");
  socket.on("connect", () => resolve(true));
  socket.on("error", () => resolve(false));
  return promise.finally(() => socket.destroy());
}
