/**
 * The URIs under which clients see a server's resources: the server's id, then the original URI as it is. Nothing in it
 * is decoded, normalised or opened here; it goes back, byte for byte, to the server that the id names and to no other.
 */
const PREFIX = "repertoire://server/";

/**
 * For a resource's URI and for a template alike: the prefix is literal, and has nothing that a template would expand.
 */
export function exposeUri(source: string, uri: string): string {
  return `${PREFIX}${source}/${uri}`;
}

export function parseExposedUri(exposed: string): { source: string; uri: string } | undefined {
  if (!exposed.startsWith(PREFIX)) return undefined;
  const end = exposed.indexOf("/", PREFIX.length);
  if (end === -1 || end + 1 === exposed.length) return undefined;
  return { source: exposed.slice(PREFIX.length, end), uri: exposed.slice(end + 1) };
}
