const NAME = "link";

/**
 * Takes the one-time link out of the address. The fragment never reaches a server, and from here on neither the history nor
 * a screenshot of the address bar holds it.
 */
export function takeLink(): string | undefined {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const link = fragment.get(NAME);
  if (link === null) return undefined;
  fragment.delete(NAME);
  const rest = fragment.toString();
  // As the router writes it: going home later is then no other address.
  const path = location.pathname.replace(/^\/console$/, "/console/");
  history.replaceState(history.state, "", `${path}${location.search}${rest === "" ? "" : `#${rest}`}`);
  return link;
}
