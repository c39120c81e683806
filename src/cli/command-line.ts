import { commandAt } from "../operator/command-line.ts";
import type { GlobalOptions } from "./global-options.ts";

/** A command of ours as it can be copied into a shell, with the config and the home that this one was given. */
export function commandLine(words: readonly string[], { config, home }: GlobalOptions): string {
  return commandAt({ configPath: config, home }, words);
}
