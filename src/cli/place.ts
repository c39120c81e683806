import { homedir } from "node:os";
import type { ClientPlace } from "../clients/client.ts";

/** This machine and folder. */
export function thisPlace(): ClientPlace {
  const { platform, env } = process;
  return { platform, env, homedir: homedir(), cwd: process.cwd() };
}
