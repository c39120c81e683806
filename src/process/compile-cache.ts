/**
 * Keeps what V8 compiled from one start to the next, which saves a sixth of the time until a client has its list.
 *
 * Node's own place for it is the shared temporary folder, where another user could put compiled code for us to run;
 * this one is below the user's cache folder, readable by its owner only. Without such a folder there is no cache, and
 * nothing else changes.
 */
import { mkdirSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { isAbsolute, join } from "node:path";

export function useCompileCache(env: NodeJS.ProcessEnv = process.env): void {
  const folder = cacheFolderOf(env);
  if (folder === undefined) return;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    enableCompileCache(folder);
  } catch {
    // Without a cache everything works; a home that cannot be written is reported where it is needed.
  }
}

function cacheFolderOf(env: NodeJS.ProcessEnv): string | undefined {
  const home = env["HOME"];
  const caches = [
    env["XDG_CACHE_HOME"],
    env["LOCALAPPDATA"],
    home === undefined ? undefined : join(home, ".cache"),
  ];
  const base = caches.find((path) => path !== undefined && isAbsolute(path));
  return base === undefined ? undefined : join(base, "repertoire", "compiled");
}
