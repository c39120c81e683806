/**
 * One login for all replicas, with refresh tokens that may be used once: a second use ends the login. In every round the access token
 * has expired, and all replicas call at the same moment; one of them renews it, and the others use what it got.
 */
import { agreeableUser } from "../../src/upstream/oauth/oauth.testkit.ts";
import { logIn } from "../../src/upstream/oauth/login.ts";
import { openSealed } from "../../src/secrets/sealed-secrets.testkit.ts";
import type { OAuthRig } from "../rig/oauth-server.ts";
import type { Outcome } from "./case.ts";
import { causeOf } from "./http-runs.ts";
import { msUntil, request, type HttpStand } from "./http-stand.ts";
import { firstOf } from "./terminated.ts";

/** Of each replica in each round: they wait for each other in its process, and for other processes in the database. */
const CALLS_AT_ONCE = 2;

export async function refreshAtOnce(stand: HttpStand, rounds: number): Promise<Outcome> {
  const { replicas, issuer } = stand;
  if (issuer === undefined) throw new Error("this stand has no server that wants a login");
  await storeLogin(stand, issuer);
  const callers = replicas.members.flatMap(({ url }) => Array.from({ length: CALLS_AT_ONCE }, () => url));
  const wrong: string[] = [];
  const refreshCounts: number[] = [];
  for (let round = 0; round < rounds; round++) {
    issuer.expireTokens();
    issuer.seen.length = 0;
    const told = await Promise.all(callers.map((url) => echo(stand, url)));
    wrong.push(...told.filter((text) => !text.includes("hello")).map((text) => `round ${round}: ${text}`));
    refreshCounts.push(refreshCount(issuer));
  }
  const onceCount = refreshCounts.filter((count) => count === 1).length;
  const callCount = rounds * callers.length;
  return {
    done: `${rounds} rounds: the token has expired, ${replicas.members.length} replicas call ${CALLS_AT_ONCE} times each at once`,
    figures:
      `exactly 1 refresh in ${onceCount} of ${rounds} rounds (at most ${Math.max(...refreshCounts)}), ` +
      `${wrong.length} of ${callCount} calls failed${firstOf(wrong)}`,
    isMet: onceCount === rounds && wrong.length === 0,
  };
}

/** As `repertoire login` does it, and until every replica has heard of it. */
async function storeLogin(stand: HttpStand, issuer: OAuthRig): Promise<void> {
  const key = stand.replicas.env["REPERTOIRE_SECRET_KEY"]!;
  const server = { id: "box", url: issuer.url, headers: {}, settings: {} };
  const outcome = await logIn(server, openSealed(stand.store, { key }), agreeableUser(issuer));
  if (outcome.kind !== "logged_in") throw new Error(JSON.stringify(outcome));
  for (const { url, name } of stand.replicas.members)
    await msUntil(`the login at ${name}`, async () => (await echo(stand, url)).includes("hello"));
}

async function echo({ replicas }: HttpStand, url: URL): Promise<string> {
  const params = { name: "box__echo", arguments: {} };
  return request(url, replicas.headers, "tools/call", params).then(
    (message) => JSON.stringify(message),
    (error: unknown) => causeOf(error),
  );
}

function refreshCount(issuer: OAuthRig): number {
  return issuer.at("/token").filter(({ body }) => body.includes("grant_type=refresh_token")).length;
}
