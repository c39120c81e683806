import { CREDENTIAL_PLACES } from "../src/process/isolation/hidden-places.ts";
import { describePassed } from "../src/process/passed-environment.ts";

/** The page on servers with what it says in the words of the source: variables that pass, places that are hidden. */
export function withServerLists(page: string): string {
  const places = `| hidden |\n|---|\n| ${CREDENTIAL_PLACES.map((place) => `\`~/${place}\``).join(", ")} |`;
  return [["passed-environment", describePassed()] as const, ["hidden-places", places] as const].reduce(
    (text, [name, list]) => withList(text, name, list),
    page,
  );
}

function withList(page: string, name: string, list: string): string {
  const place = new RegExp(`(<!-- ${name}: npm run schema -->\n)[\\s\\S]*?(<!-- /${name} -->)`);
  if (!place.test(page)) throw new Error(`docs/servers.md has no place for ${name}`);
  return page.replace(place, (_, begin: string, end: string) => `${begin}${list}\n${end}`);
}
