/** An entry whose npm package is pinned: the exact version in its arguments, and the integrity beside them. */
import { askRegistry } from "../../app/app.ts";
import type { ServerConfig } from "../../config/config.ts";
import { commandOf, packageOf } from "../../config/entries/entry-risks.ts";
import { findPackageRun, withVersion, type PackageRun } from "../../config/entries/package-run.ts";
import type { JsonObject } from "../../core/json.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";

export interface PinnedEntry {
  /** `@scope/name@1.2.3`. */
  readonly spec: string;
  readonly fields: { readonly args: readonly string[]; readonly integrity: string };
}

export async function pinEntry(key: string, entry: JsonObject): Promise<ToolResult<PinnedEntry>> {
  const run = packageOf(entry);
  if (run?.kind !== "npm") return cannotPin(key, run);
  const { name, version: wanted } = run;
  const published = await askRegistry({ name, version: wanted, env: npmVariables(entry["env"]) });
  switch (published.kind) {
    case "published": {
      const { version, integrity } = published;
      const fields = { args: withVersion(commandOf(entry)!.args, run, version), integrity };
      return succeed({ spec: `${name}@${version}`, fields });
    }
    case "absent":
      return fail("TOOL_NOT_FOUND", `The registry has no package ${name}${wanted ? ` ${wanted}` : ""}.`, {
        hint: "Check the name in the config: somebody else could publish under it.",
      });
    case "unknown":
      return fail("TOOL_UNAVAILABLE", `The version of ${name} was not found out: ${published.reason}.`, {
        hint: `Try: npm view ${name} version`,
      });
  }
}

/** npm is asked as the server's own npx would ask; a variable that refers to another is not known here. */
function npmVariables(env: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.entries((env ?? {}) as JsonObject).filter(
      (pair): pair is [string, string] =>
        /^npm_config_/i.test(pair[0]) && typeof pair[1] === "string" && !pair[1].includes("${"),
    ),
  );
}

export interface UnpinnedServer {
  readonly id: string;
  readonly run: PackageRun;
}

/** Of the servers that may start, those whose package has no exact version. */
export function findUnpinnedServers(servers: readonly ServerConfig[]): UnpinnedServer[] {
  return servers.flatMap(({ id, enabled, trusted, written }) => {
    const run = written.kind === "stdio" ? findPackageRun(written.command, written.args) : undefined;
    return enabled && trusted && run !== undefined && !run.isExact ? [{ id, run }] : [];
  });
}

/** How such a package is pinned by hand. */
export function howToPin(run: Pick<PackageRun, "kind" | "name">): string {
  return run.kind === "image"
    ? `write its digest: ${run.name}@sha256:… (docker image inspect --format '{{index .RepoDigests 0}}' ${run.name})`
    : `write its version: ${run.name}==VERSION`;
}

function cannotPin(key: string, run: PackageRun | undefined): ToolResult<never> {
  if (run === undefined) {
    return fail("TOOL_INVALID_INPUT", `${key} starts no package that could be pinned.`, {
      hint: "Packages are pinned that npx, pnpx, bunx, npm exec, pnpm dlx or yarn dlx start by their name.",
    });
  }
  return fail("TOOL_INVALID_INPUT", `${run.name} is no npm package, and is pinned by hand.`, {
    hint: `In the args of ${key}, ${howToPin(run)}.`,
  });
}
