/**
 * The URIs under which clients see a server's resources: the server's id, then the original URI as it is. Nothing in it
 * is decoded, normalised or opened here; it goes back, byte for byte, to the server that the id names and to no other.
 *
 * What a scheme means to clients stays: the page of an App is `ui://<server>+<rest>`, a skill `skill://<server>+/<rest>`.
 * No id of a server has a plus sign, so the first one ends it. The last part of a skill's path is its name, so the id
 * is a part of its own there.
 */
const PREFIX = "repertoire://server/";
const KEPT_SCHEME = /^(ui|skill):\/\/(.+)$/s;
const EXPOSED_PAGE = /^ui:\/\/([a-z0-9_]+)\+(.+)$/s;
const EXPOSED_SKILL = /^skill:\/\/([a-z0-9_]+)\+\/(.+)$/s;

/**
 * For a resource's URI and for a template alike: the prefix is literal, and has nothing that a template would expand.
 */
export function exposeUri(source: string, uri: string): string {
  const kept = KEPT_SCHEME.exec(uri);
  if (kept === null) return `${PREFIX}${source}/${uri}`;
  return kept[1] === "skill" ? `skill://${source}+/${kept[2]}` : `ui://${source}+${kept[2]}`;
}

export function parseExposedUri(exposed: string): { source: string; uri: string } | undefined {
  const page = EXPOSED_PAGE.exec(exposed);
  if (page !== null) return { source: page[1]!, uri: `ui://${page[2]}` };
  const skill = EXPOSED_SKILL.exec(exposed);
  if (skill !== null) return { source: skill[1]!, uri: `skill://${skill[2]}` };
  if (!exposed.startsWith(PREFIX)) return undefined;
  const end = exposed.indexOf("/", PREFIX.length);
  if (end === -1 || end + 1 === exposed.length) return undefined;
  return { source: exposed.slice(PREFIX.length, end), uri: exposed.slice(end + 1) };
}
