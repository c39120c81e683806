import type { RouteName } from "../../src/operator/routes.ts";
import { commandText, twinOf, type TwinInput } from "../../src/operator/twins.ts";

/** The command that shows or does the same, to be pasted into a shell; undefined where the command line has none. */
export function twinText(name: RouteName, input: TwinInput = {}): string | undefined {
  const words = twinOf(name, input);
  return words === undefined ? undefined : commandText(words);
}
