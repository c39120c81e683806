/**
 * A run that did several things with several tools teaches each tool the thing that it did: "fetch the page and mail a
 * summary" is no reason to find the mailer for pages. Which tool did which is told from the words that they share; a
 * tool that shares none did what no other tool did.
 */
import { aliasesOf } from "./aliases.ts";
import { partsOf } from "./search-query.ts";
import type { SearchDocument } from "./search-fields.ts";
import { isFaint, termsOf } from "./words.ts";

const TERMS_MAX = 200;
/** Two words that stand for one another say less than one that is the same. */
const ALIAS_SHARE = 0.5;

/** What each of these tools is to be known for. */
export function shareIntent(intent: string, tools: readonly SearchDocument[]): Map<string, string> {
  const parts = partsOf(intent);
  if (parts.length < 2 || tools.length < 2) return new Map(tools.map(({ id }) => [id, intent]));
  const claims = tools.map((tool) => claim(tool, parts));
  const claimed = new Set(claims.flat());
  const left = parts.filter((_, index) => !claimed.has(index)).map(({ text }) => text);
  return new Map(
    tools.map(({ id }, index) => {
      const own = claims[index]!.map((part) => parts[part]!.text);
      return [id, (own.length > 0 ? own : left.length > 0 ? left : [intent]).join(". ")];
    }),
  );
}

/** The parts that a tool shares most with. */
function claim(
  { fields }: SearchDocument,
  parts: readonly { readonly terms: readonly string[] }[],
): number[] {
  const { name = "", server = "", description = "", parameterNames = "" } = fields;
  const own = new Set(termsOf([name, server, description, parameterNames].join(" "), TERMS_MAX));
  const shares = parts.map(({ terms }) =>
    new Set(terms).values().reduce((sum, term) => sum + shareOf(term, own), 0),
  );
  const most = Math.max(...shares);
  return most === 0 ? [] : shares.flatMap((share, index) => (share === most ? [index] : []));
}

function shareOf(term: string, own: ReadonlySet<string>): number {
  if (isFaint(term)) return 0;
  if (own.has(term)) return 1;
  return aliasesOf(term).some((alias) => own.has(alias)) ? ALIAS_SHARE : 0;
}
