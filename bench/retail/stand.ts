/** A folder with a shop's server in it, the gateway in front of it, and the logs of the shops that it plays. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openLines, type Lines } from "../lines.ts";
import { writeControl, type Kill } from "./control.ts";

const SERVER = join(import.meta.dirname, "server.ts");
/** Between two looks whether a process has ended. */
const LOOK_MS = 2;
/** Far beyond what a process takes to end, also on a busy machine. */
const END_MS_MAX = 30_000;

export interface Stand {
  /** Has the server use this log from its next call on, and perhaps kill at one. Gives the path of the log. */
  choose(name: string, kill?: Kill): string;
  /** The shop's server alone. */
  openServer(): Promise<Lines>;
  openGateway(): Promise<Lines>;
  /** Resolves when the server that was started last has ended. */
  serverEnded(): Promise<void>;
}

export interface StandOptions {
  readonly folder: string;
  /** With `db.json`. */
  readonly data: string;
  /** `dist/main.js` of the gateway. */
  readonly bin: string;
  /** Compiled code, of several stands: each kill starts a gateway and a server. */
  readonly cache: string;
  /** Whether the gateway lists the shop's tools; without it, it does not. */
  readonly exposure?: "lean" | "full";
}

export function createStand({ folder, data, bin, cache, exposure = "lean" }: StandOptions): Stand {
  const control = join(folder, "control.json");
  const config = join(folder, "config.json");
  const args = [SERVER, data, control];
  const server = { command: process.execPath, args, env: { NODE_COMPILE_CACHE: join(cache, "server") } };
  // Runners have their files in the system's folder for temporary files: here they go with the folder.
  for (const name of ["logs", "tmp"]) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(config, JSON.stringify({ mcpServers: { retail: server }, exposure }));
  const env = {
    PATH: process.env["PATH"],
    HOME: folder,
    TMPDIR: join(folder, "tmp"),
    XDG_CONFIG_HOME: join(folder, "config"),
    XDG_CACHE_HOME: cache,
    REPERTOIRE_HOME: join(folder, "home"),
  };
  return {
    choose(name, kill) {
      const log = join(folder, "logs", `${name}.jsonl`);
      writeControl(control, { log, ...(kill !== undefined && { kill }) });
      return log;
    },
    openServer: () => openLines(args, { cwd: folder, env: { ...env, ...server.env } }),
    openGateway: () =>
      openLines([bin, "serve", "--config", config, "--log-level", "error"], { cwd: folder, env }),
    serverEnded: () => hasEnded(Number(readFileSync(`${control}.pid`, "utf8"))),
  };
}

async function hasEnded(pid: number): Promise<void> {
  const startedAt = performance.now();
  while (isAlive(pid)) {
    if (performance.now() - startedAt > END_MS_MAX) {
      throw new Error(`Process ${pid} of the shop has not ended ${END_MS_MAX / 1000} s after its gateway.`);
    }
    await sleep(LOOK_MS);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch {
    return false;
  }
}

/** It has ended; that its new parent has not heard of it yet is no matter. Told where the system has /proc. */
function isZombie(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.startsWith("Z") === true;
  } catch {
    return false;
  }
}
