/** What the gateway needs of the machine, whatever the config says. */
import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { openStore, type SandboxCheck } from "../../app/app.ts";
import { messageOf, RepertoireError } from "../../core/errors.ts";
import { findPlatformProblem } from "../../process/platform.ts";
import { shellWord, type Check } from "./check.ts";

export function checkNode(platform: NodeJS.Platform = process.platform): Check {
  const message = `${process.version}, SQLite ${process.versions["sqlite"] ?? "unknown"}`;
  const problem = findPlatformProblem(platform);
  if (problem === undefined) return { name: "node", state: "ok", message };
  return { name: "node", state: "warning", message: `${message}. ${problem}` };
}

export function describeSandbox({ problem, typesProblem, hasNetworkFence, startMs }: SandboxCheck): Check {
  const name = "sandbox";
  const cure = "npm install --global --include=optional repertoire@latest";
  if (problem !== undefined) return { name, state: "failed", message: `code cannot run: ${problem}`, cure };
  const network = hasNetworkFence ? "without a network" : "without a network namespace";
  const runs = `code runs, started in ${Math.round(startMs)} ms, ${network}`;
  if (typesProblem !== undefined)
    return { name, state: "warning", message: `${runs}. ${typesProblem}`, cure };
  return { name, state: "ok", message: `${runs}, types are checked` };
}

export function checkHome(home: string): Check {
  const name = "home";
  const stat = statSync(home, { throwIfNoEntry: false });
  if (stat === undefined) return { name, state: "ok", message: `${home} will be created on first use` };
  if (!stat.isDirectory()) {
    const cure = `mv ${shellWord(home)} ${shellWord(`${home}.old`)}`;
    return { name, state: "failed", message: `${home} is not a folder`, cure };
  }
  if (process.platform === "win32" || (stat.mode & 0o077) === 0) return { name, state: "ok", message: home };
  const message = `other users can read ${home}`;
  return { name, state: "failed", message, cure: `chmod 700 ${shellWord(home)}` };
}

export async function checkStore(home: string): Promise<Check> {
  const name = "store";
  const path = join(home, "repertoire.db");
  if (!existsSync(path)) return { name, state: "ok", message: "empty; created on first use" };
  try {
    const store = await openStore(home);
    try {
      const damage = await store.findDamage();
      if (damage.length === 0) return { name, state: "ok", message: `${path} is sound` };
      const cure = `mv ${shellWord(path)} ${shellWord(`${path}.damaged`)}`;
      return { name, state: "failed", message: `${path} is damaged: ${damage.slice(0, 3).join("; ")}`, cure };
    } finally {
      await store.close();
    }
  } catch (error) {
    return { name, state: "failed", message: messageOf(error), cure: storeCureOf(error, path) };
  }
}

/** Never a command that deletes: the file may be the only copy. Only a file that is not our database is moved aside. */
export function storeCureOf(error: unknown, path: string): string {
  const code = error instanceof RepertoireError ? error.code : undefined;
  if (code === "STORE_NEWER") return "npm install --global repertoire@latest";
  if (code === "STORE_UNSUPPORTED") return "nvm install 24";
  if (code === "STORE_FULL") return `df -h ${shellWord(path)}`;
  if (code === "STORE_BUSY") return `fuser -v ${shellWord(path)}`;
  if (code === "STORE_DAMAGED" || code === "STORE_FOREIGN") {
    return `mv ${shellWord(path)} ${shellWord(`${path}.aside`)}`;
  }
  if (isReadOnlyDisk(error)) return `findmnt --target ${shellWord(dirname(path))}`;
  if (code === "HOME_UNSAFE") return `chmod u+rwX ${shellWord(dirname(path))} ${shellWord(path)}`;
  return `ls -la ${shellWord(dirname(path))}`;
}

function isReadOnlyDisk(error: unknown): boolean {
  const cause = error instanceof RepertoireError ? error.cause : undefined;
  return cause instanceof Error && "code" in cause && cause.code === "EROFS";
}
