import { homedir } from "node:os";
import type { ClientPlace } from "../clients/client.ts";
import { findFileToEdit } from "../config/entries/filed-servers.ts";
import type { LocateOptions } from "../config/locate.ts";
import type { GlobalOptions } from "./global-options.ts";

/** This machine and folder. */
export function thisPlace(): ClientPlace {
  const { platform, env } = process;
  return { platform, env, homedir: homedir(), cwd: process.cwd() };
}

/** The file that a change belongs into: the nearest one in force, else the user's own. */
export function editedFile(
  options: GlobalOptions,
  place: Pick<LocateOptions, "env" | "homedir" | "cwd" | "platform"> = {},
): { path: string; home: string } {
  return findFileToEdit({ ...place, configPath: options.config, home: options.home });
}
