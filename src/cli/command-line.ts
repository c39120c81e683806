import { escapeUnprintable } from "../text/printable.ts";
import type { GlobalOptions } from "./global-options.ts";

/** A command of ours as it can be copied into a shell, with the config and the home that this one was given. */
export function commandLine(words: readonly string[], { config, home }: GlobalOptions): string {
  const given = [
    ...(config === undefined ? [] : ["--config", config]),
    ...(home === undefined ? [] : ["--home", home]),
  ];
  return ["repertoire", ...words, ...given].map(quoted).join(" ");
}

const PLAIN = /^[\w@%+=:,./-]+$/;

function quoted(word: string): string {
  return escapeUnprintable(PLAIN.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`);
}
