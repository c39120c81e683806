/** Debian's HAProxy with the configuration that we ship, of which nothing but addresses is replaced. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { launchWatched, readLog } from "./postgres-process.ts";

const PROGRAM = "/usr/sbin/haproxy";
const SHIPPED = join(import.meta.dirname, "../../deploy/haproxy.cfg");
/** Far beyond what a start needs, also on a busy machine. */
const PATIENCE_MS = 30_000;

export function hasHaproxy(): boolean {
  return existsSync(PROGRAM);
}

export interface Haproxy {
  readonly url: URL;
  /** A line for each request, as it is configured. */
  log(): string;
  close(): Promise<void>;
}

/** What the file says to do without Docker: no names of Docker, and the replicas by their addresses. */
function configWithoutDocker(shipped: string, port: number, servers: readonly URL[]): string {
  const named = servers.map(({ host }, i) => `  server replica-${i + 1} ${host}`).join("\n");
  return [
    [/^resolvers docker\n(?: .*\n)+/m, ""],
    [/ resolvers docker init-addr none$/m, ""],
    [/^ {2}bind :8080$/m, `  bind 127.0.0.1:${port}`],
    [/^ {2}server-template gateway .*$/m, named],
  ].reduce((text, [from, to]) => {
    const made = text.replace(from as RegExp, to as string);
    if (made === text) throw new Error(`deploy/haproxy.cfg has nothing like ${String(from)} any more`);
    return made;
  }, shipped);
}

/** In front of these, at this port, when it has found one of them ready. */
export async function startHaproxy(port: number, servers: readonly URL[]): Promise<Haproxy> {
  const folder = mkdtempSync(join(tmpdir(), "repertoire-haproxy-"));
  const file = join(folder, "haproxy.cfg");
  writeFileSync(file, configWithoutDocker(readFileSync(SHIPPED, "utf8"), port, servers));
  const program = launchWatched({ folder }, [PROGRAM, "-db", "-f", file]);
  const url = new URL(`http://127.0.0.1:${port}/mcp`);
  const end = performance.now() + PATIENCE_MS;
  while (!(await isReady(url))) {
    if (program.isOver() || performance.now() > end)
      throw new Error(`HAProxy did not start: ${readLog(folder)}`);
    await sleep(50);
  }
  return {
    url,
    log: () => readLog(folder),
    async close() {
      await program.end("SIGTERM");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function isReady(url: URL): Promise<boolean> {
  return fetch(new URL("/health/ready", url)).then(
    ({ status }) => status === 200,
    () => false,
  );
}
