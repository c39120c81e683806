/**
 * The servers that a name could be taken for: those of the config, those that are well known, those of the
 * registry.
 */
import { loadConfig } from "../../../config/load.ts";
import { succeed, type ToolResult } from "../../../core/result.ts";
import type { LaunchRisk } from "../../../published/launch.ts";
import { findLookalikeName, WELL_KNOWN_NAMES, type KnownName } from "../../../published/lookalike.ts";
import type { ServerRegistry } from "../../../published/server-registry.ts";
import { quote } from "../../../text/quote.ts";
import type { OperatorDeps } from "../../operator.ts";

/** Two questions to the registry, each for one page. */
const COUNT_MAX = 100;

export async function findLookalikes(
  name: string,
  registry: ServerRegistry,
  place: OperatorDeps["place"],
): Promise<ToolResult<LaunchRisk[]>> {
  const known = [...configuredNames(place), ...WELL_KNOWN_NAMES];
  const [space, base] = name.split("/") as [string, string];
  for (const words of new Set([base, space.split(".").at(-1)!])) {
    const found = await registry.search(words, COUNT_MAX);
    if (!found.success) return found;
    known.push(...found.data.servers.map((server): KnownName => ({ name: server.name, from: "registry" })));
  }
  const near = findLookalikeName(name, known);
  return succeed(near === undefined ? [] : [riskOf(name, near)]);
}

function configuredNames({ configPath, home }: OperatorDeps["place"]): KnownName[] {
  const loaded = loadConfig({ configPath, home });
  const servers = loaded.ok ? loaded.config.servers : [];
  return servers.flatMap(({ installed }): KnownName[] =>
    installed === undefined ? [] : [{ name: installed.name, from: "configured" }],
  );
}

const FROM = {
  configured: "which your config has already",
  "well known": "which is well known",
  registry: "which the registry has too",
} as const;

function riskOf(name: string, { name: known, from }: KnownName): LaunchRisk {
  const names = `${quote(name, 200)} is nearly called like ${quote(known, 200)}`;
  return { kind: "lookalike", message: `${names}, ${FROM[from]}: which of them is meant?` };
}
