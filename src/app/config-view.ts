/** What the composition root reads out of a config. */
import type { Config, ServerConfig } from "../config/config.ts";
import type { ConfigSource } from "../config/source.ts";
import { RepertoireError } from "../core/errors.ts";
import { hashText } from "../core/json.ts";
import { didYouMean, nearest } from "../text/nearest.ts";
import { fail, type ToolResult } from "../core/result.ts";
import type { TrustLevel } from "../core/rule.ts";
import type { NodePolicy } from "../nodes/node-types.ts";

/** What built-in nodes may do. */
export function nodePolicyOf({ workflows }: Config): NodePolicy {
  const { allowShell, allowPrivateHttp, fileRoots, llm } = workflows;
  return { allowShell, allowPrivateHttp, fileRoots, llm };
}

const serverMarks = new WeakMap<Config, string>();

/** Equal for as long as nothing in the servers has changed that decides which tools there are. */
export function serversMarkOf(config: Config): string {
  let mark = serverMarks.get(config);
  if (mark === undefined) {
    const parts = config.servers.map(({ id, enabled, trusted, transport, tools, trust }) =>
      JSON.stringify([id, enabled, trusted, transport, tools, trust]),
    );
    // A transport has secrets in it.
    mark = hashText(parts.join("\n"));
    serverMarks.set(config, mark);
  }
  return mark;
}

const trustLevels = new WeakMap<Config, ReadonlyMap<string, TrustLevel>>();

/** The trust in a server. It is asked for with every call, so the levels of a config are collected once. */
export function trustOf(config: Config, server: string): TrustLevel {
  let levels = trustLevels.get(config);
  if (levels === undefined) {
    levels = new Map(config.servers.map(({ id, trust }) => [id, trust]));
    trustLevels.set(config, levels);
  }
  return levels.get(server) ?? config.trust;
}

/** Whether `add` took a server from a registry or a bundle: no person chose what it offers first. */
export function isInstalled({ servers }: Config, server: string): boolean {
  return servers.find(({ id }) => id === server)?.installed !== undefined;
}

/** Which tools a list shows, through a profile or without one; a profile that fronts one server shows all of it. */
export function exposureOf({ exposure, profiles }: Config, profile: string | undefined): Config["exposure"] {
  const rules = profile === undefined ? undefined : profiles[profile];
  return rules?.transparent === undefined ? (rules?.exposure ?? exposure) : "full";
}

/** Whether `auto` decides by a server what clients see, through one profile or any way that they may connect. */
export function isUnderAuto(config: Config, server: string, only: string | undefined): boolean {
  const ways = only === undefined ? [undefined, ...Object.keys(config.profiles)] : [only];
  return ways.some((profile) => {
    const servers = profile === undefined ? undefined : config.profiles[profile]?.servers;
    return exposureOf(config, profile) === "auto" && servers?.includes(server) !== false;
  });
}

/** The ids of the servers that may be started. */
export function usableServers(config: Config): string[] {
  return config.servers.filter((server) => server.enabled && server.trusted).map((server) => server.id);
}

/** The servers that are configured and cannot be used, to explain why their tools are missing. */
export function idleServers({ servers }: Config): {
  readonly unusable: readonly string[];
  readonly untrusted: readonly string[];
  readonly disabled: readonly string[];
} {
  const idsOf = (some: readonly ServerConfig[]) => some.map(({ id }) => id);
  const enabled = servers.filter((server) => server.enabled);
  const unusable = enabled.filter(({ trusted, problems }) => trusted && problems.length > 0);
  const untrusted = enabled.filter(({ trusted }) => !trusted);
  const disabled = servers.filter((server) => !server.enabled);
  return { unusable: idsOf(unusable), untrusted: idsOf(untrusted), disabled: idsOf(disabled) };
}

/** Why a configured server is not among the sources of tools, for a caller that asks for one of its tools. */
export function explainAbsent({ servers }: Config, id: string): ToolResult<never> | undefined {
  const server = servers.find((one) => one.id === id);
  if (server === undefined) return undefined;
  if (!server.enabled) {
    return fail("TOOL_UNAVAILABLE", `The server ${id} is disabled.`, {
      reason: "disabled",
      retryable: false,
      hint: `A person can enable it: repertoire enable ${id}`,
    });
  }
  if (server.trusted) {
    // The config has changed, and the new server is not registered yet.
    return fail("TOOL_UNAVAILABLE", `The server ${id} is being replaced, because its config has changed.`, {
      reason: "starting",
      hint: "Call again in a few seconds; nothing was sent to it.",
    });
  }
  return fail("TOOL_UNAVAILABLE", `The server ${id} is in a project file that is not trusted.`, {
    reason: "untrusted",
    retryable: false,
    hint: "A person must review the repertoire.json of this folder and run: repertoire trust",
  });
}

export function refuseProfile(profile: string | undefined, { profiles }: Config): never {
  const known = Object.keys(profiles);
  const near = nearest(profile ?? "", known);
  throw new RepertoireError(
    "CONFIG_INVALID",
    `There is no profile ${JSON.stringify(profile)}.${didYouMean(near)}`,
    {
      hint: known.length === 0 ? "The config has no profiles." : `The profiles are ${known.join(", ")}.`,
    },
  );
}

/** Only a change that clients can see is passed on: the servers that descriptions name, and what is listed. */
export function onVisibleChange(config: ConfigSource, listener: () => void): () => void {
  const visible = (current: Config) =>
    JSON.stringify([usableServers(current), idleServers(current), current.exposure, current.profiles]);
  let last = visible(config.current());
  return config.subscribe((event) => {
    if (event.kind !== "changed") return;
    const next = visible(event.config);
    if (next === last) return;
    last = next;
    listener();
  });
}
