import { escapeUnprintable } from "../text/printable.ts";
import type { OperatorDeps } from "./operator.ts";
import { commandText } from "./twins.ts";

/** A command of ours as it can be copied into a shell, for the config and the home that this process was given. */
export function commandAt({ configPath, home }: OperatorDeps["place"], words: readonly string[]): string {
  const given = [
    ...(configPath === undefined ? [] : ["--config", configPath]),
    ...(home === undefined ? [] : ["--home", home]),
  ];
  return escapeUnprintable(commandText([...words, ...given]));
}
