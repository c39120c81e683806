import { locateConfig, type LocateOptions } from "../config/locate.ts";
import type { GlobalOptions } from "./session.ts";

/** The file that a change belongs into: the one that is in force, else the user's own. */
export function editedFile(
  options: GlobalOptions,
  place: Pick<LocateOptions, "env" | "homedir" | "cwd" | "platform"> = {},
): { path: string; home: string } {
  const found = locateConfig({ ...place, configPath: options.config, home: options.home });
  return { path: found.origin.path ?? found.candidates.at(-1)!, home: found.home };
}
