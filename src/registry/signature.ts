import { typeText } from "../text/schema-type.ts";
import { SHOWN } from "../text/type-style.ts";

export { signatureOf } from "../text/schema-type.ts";

/**
 * The type of one schema, for people: it says what helps and gives `unknown` for the rest. `root` is where its
 * references point.
 */
export function typeOf(schema: unknown, depth: number, root: unknown = schema): string {
  return typeText(schema, SHOWN, depth, root);
}
