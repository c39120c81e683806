/**
 * Before a server with a pinned package is started, the registry is asked whether it still has the same bytes under that
 * version. Others than those that were pinned are not started. Where nothing is found out, the server is started and the
 * log says so: a machine without a network has its packages in a cache.
 */
import type { ServerConfig } from "../config/config.ts";
import { findPackageRun } from "../config/entries/package-run.ts";
import type { Log } from "../core/log.ts";
import type { NotStarted } from "../upstream/process/process-exit.ts";
import { askRegistry } from "../upstream/process/published-package.ts";
import { notStartedProcess } from "../upstream/process/server-process.ts";
import type { OpenTransport } from "../upstream/transport/open-transport.ts";

type PinnedServer = Pick<ServerConfig, "id" | "key" | "integrity">;
type StdioTransport = Extract<Parameters<OpenTransport>[0], { kind: "stdio" }>;

/** The same for a server without an integrity. */
export function withIntegrity(open: OpenTransport, server: PinnedServer): OpenTransport {
  if (server.integrity === undefined) return open;
  return async (transport, log) => {
    if (transport.kind !== "stdio") return open(transport, log);
    const problem = await findProblem(server, transport, log);
    if (problem === undefined) return open(transport, log);
    const process = notStartedProcess(problem);
    return { transport: process, process };
  };
}

async function findProblem(
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
