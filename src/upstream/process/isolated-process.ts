import { networkOf, type Isolation } from "../../process/isolation/isolation.ts";
import { silentLog } from "../../core/log.ts";
import { findBackend } from "../../process/isolation/backend.ts";
import { serveDomains } from "./domain-proxy.ts";
import {
  notStartedProcess,
  startServerProcess,
  type ServerProcess,
  type ServerProcessOptions,
} from "./server-process.ts";

/** Starts a server behind what this machine has to isolate it; without that, the server is not started and says why. */
export async function startIsolatedProcess(
  options: ServerProcessOptions & {
    readonly isolation: Isolation;
    /** As it is called in the log. */
    readonly server?: string | undefined;
  },
): Promise<ServerProcess> {
  const { isolation, log = silentLog, server } = options;
  const backend = await findBackend();
  if (backend.kind === "none") {
    const reason = `It is to run in a sandbox, and ${backend.reason}. ${backend.hint}`;
    return notStartedProcess({ cause: "no_isolation", reason });
  }
  const { network } = isolation;
  return startServerProcess({
    ...options,
    backend: backend.file,
    ...(networkOf(isolation) === "filtered" && {
      onChannel: (channel) => serveDomains(channel, { network, log, server }),
    }),
  });
}
