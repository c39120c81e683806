/** The token cost before and after connecting. Servers that were not counted are named, never estimated. */
import { countOf, withCommas } from "../terminal/wording.ts";
import type { TokenReport } from "../../app/app.ts";
import { CLIENT_TITLES, type ClientId } from "../../clients/client.ts";

/** A client that has the gateway, and the servers that were taken out of it. */
export interface Connected {
  readonly client: ClientId;
  /** Whether it was connected just now. */
  readonly isNew: boolean;
  readonly serverIds: readonly string[];
}

export function describeCosts(
  { servers, unread, faces }: TokenReport,
  connected: readonly Connected[],
  serverCount: number,
): string[] {
  if (servers.length === 0) {
    return [
      `The token cost of the tools is unknown: ${serverCount === 1 ? "the server has not answered" : "no server has answered"}.`,
    ];
  }
  const face = faces[0]!;
  const now = (face.mode === "lean" ? face.lean : face.full).startTokens;
  const tokensOf = (ids: readonly string[]): number =>
    servers.filter(({ id }) => ids.includes(id)).reduce((sum, { tokens }) => sum + tokens, 0);
  const changed = connected
    .filter(({ serverIds }) => tokensOf(serverIds) > 0)
    .map(({ client, serverIds }) => ({ title: CLIENT_TITLES[client], before: tokensOf(serverIds) }));
  const lines = changed.map(
    ({ title, before }) =>
      `${title}: before ${withCommas(before)} tokens in every conversation, now ${withCommas(now)}.`,
  );
  if (changed.length === 0) {
    const all = tokensOf(servers.map(({ id }) => id));
    lines.push(
      `The tools of ${countOf(servers.length, "server")} cost ${withCommas(all)} tokens in every conversation; through Repertoire, ${withCommas(now)}.`,
    );
  }
  if (face.mode === "full") {
    lines.push(
      "With so few tools, Repertoire lists them all: that costs no more than finding them by search.",
    );
  }
  if (unread.length > 0)
    lines.push(`Not counted, because they did not answer: ${unread.map(({ id }) => id).join(", ")}.`);
  return lines;
}
