/** What `browse_components` says beside its hits: which servers there are, which tools are missing, and what to do then. */
import type { Catalogue } from "../../registry/catalogue.ts";
import type { IdleServers } from "./meta-tool.ts";

/** A server whose tools may be missing, and why. */
export interface Unavailable {
  readonly server: string;
  readonly reason: string;
}

/** A description is read in every request of every client, and a search finds the servers that it does not name. */
const NAMES_MAX = 12;

/** Names a bounded number of servers, and those whose tools are missing, so that they are not taken for absent. */
export function describeServers(servers: readonly string[], idle?: IdleServers): string {
  const { unusable = [], untrusted = [], disabled = [] } = idle ?? {};
  const usable = servers.filter((id) => !unusable.includes(id));
  const sentences = [
    ...(usable.length > 0 ? [`Servers: ${namesOf(usable)}.`] : []),
    ...(unusable.length > 0
      ? [`Not usable as they are configured: ${namesOf(unusable)}; the answer says why.`]
      : []),
    ...(untrusted.length > 0 ? [waitForTrust(untrusted)] : []),
  ];
  if (sentences.length > 0) return sentences.join(" ");
  return disabled.length === 0
    ? "No servers are configured yet."
    : `All servers are disabled: ${namesOf(disabled)}.`;
}

/** One that is switched off is named where it may be missed; in every answer it would only cost tokens. */
export function isAbout(query: string, id: string): boolean {
  return query.trim() === "" || query.toLowerCase().includes(id.toLowerCase());
}

export function disabledServer(server: string): Unavailable {
  return { server, reason: `It is disabled. A person can run: repertoire enable ${server}` };
}

export function pendingText(id: string, { starting }: Catalogue): string {
  const one = starting.find(({ source }) => source === id);
  return one === undefined ? id : `${id} (still starting, for ${Math.round(one.forMs / 1000)} s)`;
}

function namesOf(servers: readonly string[]): string {
  const rest = servers.length > NAMES_MAX ? ` and ${servers.length - NAMES_MAX} more` : "";
  return `${servers.slice(0, NAMES_MAX).join(", ")}${rest}`;
}

export const UNTRUSTED =
  "The repertoire.json of this folder is not trusted, so its servers are not started. A person has to run: repertoire trust";

function waitForTrust(servers: readonly string[]): string {
  return `Servers of this folder's repertoire.json wait until a person runs \`repertoire trust\`: ${namesOf(servers)}.`;
}

/** Why expected tools may be missing. */
export function describeAbsent(unavailable: readonly Unavailable[], untrusted: readonly string[]): string {
  const sentences = [
    ...(unavailable.length > 0
      ? [`Tools of ${namesOf(unavailable.map(({ server }) => server))} are missing: see unavailable.`]
      : []),
    ...(untrusted.length > 0 ? [waitForTrust(untrusted)] : []),
  ];
  return sentences.join(" ");
}

export function unavailableIn(catalogue: Catalogue, isShown: (server: string) => boolean): Unavailable[] {
  const failed = catalogue.failed.filter(({ source }) => isShown(source));
  return failed.map(({ source, reason, cure }) => ({
    server: source,
    reason: cure === undefined ? reason : `${reason} ${cure}`,
  }));
}

/** What an answer has come to. */
interface Found {
  readonly query: string;
  readonly isFound: boolean;
  readonly isFaint: boolean;
  /** Hits that did not fit into the answer. */
  readonly left: number;
  /** Hits whose schemas are too large to be shown. */
  readonly unshown: readonly { readonly type: string }[];
  readonly isFull: boolean;
  readonly pending: readonly string[];
  /** Which tools are missing and why, or nothing. */
  readonly absent: string;
  /** Whether any tool of a server was found. */
  readonly hasTools: boolean;
}

export function hintFor(found: Found): string | undefined {
  const { query, isFound, isFaint, left, unshown, isFull, pending, absent, hasTools } = found;
  if (left > 0) {
    const less = isFull ? "Ask for fewer, or without detail." : "Ask for something narrower.";
    return `${left} more hits do not fit into one answer. ${less}`;
  }
  if (unshown.length > 0) {
    return `The schemas of ${unshown.map(({ type }) => type).join(", ")} are too large for an answer: go by the signature, and execute says what is wrong with a call.`;
  }
  if (query.trim() === "" || (isFound && !isFaint)) {
    const wait = pending.length === 0 ? "" : `${pending.join(", ")}: no answer yet, ask again in a moment.`;
    return hasTools || absent + wait === "" ? undefined : `${wait} ${absent}`.trim();
  }
  const what = isFound ? "Nothing fits these words well." : "Nothing fits these words.";
  const wait = pending.length === 0 ? "" : ` ${pending.join(", ")} may have it: ask again in a moment.`;
  return `${what} Say what is to be done in other words (a verb and a thing), name a server, or browse without a query to see everything.${wait}${absent === "" ? "" : ` ${absent}`}`;
}
