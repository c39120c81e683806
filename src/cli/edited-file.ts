import { locateConfig } from "../config/locate.ts";
import type { GlobalOptions } from "./session.ts";

/** The file that a change belongs into: the one that is in force, else the user's own. */
export function editedFile(options: GlobalOptions): { path: string; home: string } {
  const { origin, candidates, home } = locateConfig({ configPath: options.config, home: options.home });
  return { path: origin.path ?? candidates.at(-1)!, home };
}
