/**
 * T140: to add a server that is a program is to run any program as the user of this machine. A session of the console can
 * do it only soon after its link was made on this machine, and only where no other machine reaches the gateway, unless
 * the config says otherwise.
 */
import { isLoopbackHost } from "../../app/app.ts";
import type { Config } from "../../config/config.ts";
import type { Viewer } from "../operator.ts";

/** Long enough to look up how a server is started, short enough that a forgotten tab cannot do it. */
const PROOF_MS = 15 * 60_000;

/** Whether the gateway is one from which programs can be added at all. `host` is where it really listens. */
export function mayAddPrograms({ http }: Pick<Config, "http">, host: string = http.host): boolean {
  return http.console.addPrograms || isReachedHereOnly({ http }, host);
}

/** Whether no other machine reaches the gateway, neither directly nor through a proxy. */
export function isReachedHereOnly({ http }: Pick<Config, "http">, host: string = http.host): boolean {
  const { publicUrl } = http;
  const isPublic = publicUrl !== undefined && !isLoopbackHost(new URL(publicUrl).hostname);
  return isLoopbackHost(host) && !isPublic;
}

/** Whether this viewer has proved lately who they are; a token proves it with each request. */
export function hasProved({ provedAt }: Pick<Viewer, "provedAt">, now: number = Date.now()): boolean {
  return provedAt === undefined || (now - provedAt <= PROOF_MS && provedAt <= now);
}
