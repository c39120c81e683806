/**
 * The URIs under which clients see a server's resources: the server's id, then the original URI as it is. Nothing in it
 * is decoded, normalised or opened here; it goes back, byte for byte, to the server that the id names and to no other.
 *
 * What a scheme means to clients stays: the page of an App is `ui://<server>+<rest>`, a skill `skill://<server>+<rest>`.
 * No id of a server has a plus sign, so the first one ends it.
 */
const PREFIX = "repertoire://server/";
const KEPT_SCHEME = /^(ui|skill):\/\/(.+)$/s;
const EXPOSED_KEPT = /^(ui|skill):\/\/([a-z0-9_]+)\+(.+)$/s;

/**
 * For a resource's URI and for a template alike: the prefix is literal, and has nothing that a template would expand.
 */
export function exposeUri(source: string, uri: string): string {
  const kept = KEPT_SCHEME.exec(uri);
  return kept === null ? `${PREFIX}${source}/${uri}` : `${kept[1]}://${source}+${kept[2]}`;
}

export function parseExposedUri(exposed: string): { source: string; uri: string } | undefined {
  const kept = EXPOSED_KEPT.exec(exposed);
  if (kept !== null) return { source: kept[2]!, uri: `${kept[1]}://${kept[3]}` };
  if (!exposed.startsWith(PREFIX)) return undefined;
  const end = exposed.indexOf("/", PREFIX.length);
  if (end === -1 || end + 1 === exposed.length) return undefined;
  return { source: exposed.slice(PREFIX.length, end), uri: exposed.slice(end + 1) };
}
