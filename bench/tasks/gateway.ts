/** The gateway as a process: with its servers read once, so that a conversation begins as it does every day. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect, type Connection } from "./connection.ts";
import type { ServerEntry } from "./world.ts";

export type Exposure = "lean" | "full" | "auto";

export interface GatewayPlace {
  readonly bin: string;
  readonly folder: string;
  readonly servers: Readonly<Record<string, ServerEntry>>;
}

/** Reads every server once. */
export async function warm(place: GatewayPlace): Promise<void> {
  const args = [place.bin, "servers", "--check", ...placeArgs(place, "lean", "warm")];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"] });
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`the servers could not be read: ${stderr}`);
}

/** A gateway with a home of its own, which knows the lists and nothing else. */
export async function openGateway(place: GatewayPlace, exposure: Exposure): Promise<Connection> {
  cpSync(join(place.folder, "warm.home"), join(place.folder, `${exposure}.home`), { recursive: true });
  const args = [place.bin, "serve", ...placeArgs(place, exposure, exposure), "--log-level", "error"];
  return connect({ command: process.execPath, args });
}

function placeArgs({ folder, servers }: GatewayPlace, exposure: Exposure, home: string): string[] {
  const config = join(folder, `${exposure}.config.json`);
  writeFileSync(
    config,
    JSON.stringify({ mcpServers: servers, exposure, limits: { connectTimeoutMs: 60_000 } }),
  );
  return ["--config", config, "--home", join(folder, `${home}.home`)];
}
