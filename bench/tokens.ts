/** What a conversation begins with, and what one search adds, beside a list of all tools: with three servers of the protocol's own project. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TokenReport } from "../src/gateway/token-report.ts";

const BIN = join(import.meta.dirname, "../dist/main.js");
const SERVERS = ["everything", "filesystem", "memory"];
/** The event in the log that says that counts are estimates. */
const ESTIMATED = "tokens.count.failed";
const require = createRequire(import.meta.url);

interface TokenFigures {
  readonly servers: readonly string[];
  readonly toolCount: number;
  readonly toolTokens: number;
  readonly leanTokens: number;
  readonly searchTokens: number;
}

export function benchTokens(): TokenFigures {
  const folder = mkdtempSync(join(tmpdir(), "repertoire-bench-"));
  try {
    const config = join(folder, "config.json");
    const mcpServers = Object.fromEntries(SERVERS.map((name) => [name, serverOf(name, folder)]));
    writeFileSync(config, JSON.stringify({ mcpServers }));
    const args = [BIN, "cost", "--start", "--json", "--config", config, "--home", join(folder, "home")];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    // What cannot be counted is estimated, which is right for a gateway and no figure.
    if (status !== 0 || stderr.includes(ESTIMATED)) throw new Error(`repertoire cost: ${stderr}`);
    const [face] = (JSON.parse(stdout) as TokenReport).faces;
    if (face === undefined) throw new Error("repertoire cost knows no gateway");
    const { toolCount, toolTokens, lean, search } = face;
    const figures = {
      servers: SERVERS,
      toolCount,
      toolTokens,
      leanTokens: lean.startTokens,
      searchTokens: search.tokens,
    };
    console.log(`\nTokens of ${SERVERS.join(", ")}, before the first word`);
    console.log(
      `  all ${toolCount} tools ${toolTokens}; the gateway's list ${figures.leanTokens}, and ${search.tokens} for each search`,
    );
    return figures;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function serverOf(name: string, folder: string) {
  const manifest = require.resolve(`@modelcontextprotocol/server-${name}/package.json`);
  const program = join(dirname(manifest), "dist/index.js");
  return { command: process.execPath, args: name === "filesystem" ? [program, folder] : [program] };
}
