/**
 * A server of which only the address is given: what its card says it is called, and which of the card's endpoints is
 * used. Only one of the same origin is: the user trusted that address, and no other that it leads to.
 */
import { askCard, type CardAnswer, type CardEndpoint } from "../../app/app.ts";
import { serverIdOf } from "../../core/names.ts";
import { readPastedServers } from "./pasted-servers.ts";

export interface CardedServer {
  readonly key: string;
  readonly entry: { readonly type: "http" | "sse"; readonly url: string };
  /** What a person is told of it, line by line. */
  readonly said: readonly string[];
  readonly warnings: readonly string[];
}

export async function describeByCard(
  url: string,
  ask: (endpoint: URL) => Promise<CardAnswer> = askCard,
): Promise<CardedServer> {
  const given = new URL(url);
  const answer = await ask(given);
  const plain = { key: proposedKey(url), entry: { type: "http", url } } as const;
  if (answer.kind === "none") return { ...plain, said: [], warnings: [] };
  if (answer.kind === "unusable")
    return { ...plain, said: [], warnings: [`its server card was not used: ${answer.reason}`] };
  const { name, title = name, version, description, endpoints } = answer.card;
  const own = endpoints.filter((endpoint) => endpoint.url.origin === given.origin);
  const chosen = own.find((endpoint) => endpoint.url.href === given.href) ?? own[0];
  const isElsewhere = chosen === undefined && endpoints.length > 0;
  return {
    key: keyIn(name) ?? plain.key,
    entry: chosen === undefined ? plain.entry : { type: chosen.type, url: addressOf(chosen, given, url) },
    said: [`${title} ${version}: ${description}`, ...needed(chosen)],
    warnings: isElsewhere ? [elsewhere(endpoints[0]!)] : [],
  };
}

/** As the user wrote it, where it is the same. */
function addressOf(chosen: CardEndpoint, given: URL, url: string): string {
  return chosen.url.href === given.href ? url : chosen.url.href;
}

function elsewhere({ url }: CardEndpoint): string {
  return `its server card names the endpoint ${url.origin}, which is another server: the address that you gave is used`;
}

function needed(endpoint: CardEndpoint | undefined): string[] {
  const headers = endpoint?.headers ?? [];
  return headers.length === 0 ? [] : [`It needs ${headers.join(", ")}: give it with --header, or log in`];
}

/** The part behind the slash, where it can be the name of a server. */
function keyIn(name: string): string | undefined {
  const key = name.split("/")[1] ?? "";
  return serverIdOf(key).success ? key : undefined;
}

function proposedKey(url: string): string {
  const read = readPastedServers(url);
  return typeof read === "string" ? new URL(url).hostname : read[0]!.proposal;
}
