/**
 * `/health/live` and `/health/ready` for a caller without a token, as orchestrators and load balancers ask: one word,
 * with 200 or 503, and nothing about the gateway. With a token the operator routes answer, and say more.
 *
 * A probe shares the store's answer with all other probes, and its socket is closed behind it: sockets without a
 * token are few.
 */
import type { Health } from "../health.ts";
import { replyText } from "./reply.ts";
import type { HttpCall } from "./http-call.ts";

type OpenProbe = "live" | "ready";

const PROBES: ReadonlyMap<string, OpenProbe> = new Map([
  ["/health/live", "live"],
  ["/health/ready", "ready"],
]);

/** What is asked, where it is asked without a token. */
export function openProbeOf({ request, path }: HttpCall): OpenProbe | undefined {
  if (request.headers.authorization !== undefined) return undefined;
  return request.method === "GET" || request.method === "HEAD" ? PROBES.get(path) : undefined;
}

export async function answerProbe(
  { response }: HttpCall,
  probe: OpenProbe,
  health: Pick<Health, "probe">,
): Promise<void> {
  const isGood = await health.probe(probe);
  // Node sends the length and leaves the body out where the request was HEAD.
  replyText(response, isGood ? 200 : 503, isGood ? "ok\n" : "not ready\n", {
    "Content-Type": "text/plain; charset=utf-8",
    Connection: "close",
  });
}
