/** What the composition root reads out of a config. */
import type { Config } from "./config/config.ts";
import type { ConfigSource } from "./config/source.ts";
import { RepertoireError } from "./core/errors.ts";
import { didYouMean, nearest } from "./core/nearest.ts";
import type { NodePolicy } from "./nodes/node-types.ts";

/** What built-in nodes may do. */
export function nodePolicyOf({ workflows }: Config): NodePolicy {
  const { allowShell, allowPrivateHttp, fileRoots, llm } = workflows;
  return { allowShell, allowPrivateHttp, fileRoots, ...(llm !== undefined && { llm }) };
}

/** The ids of the servers that may be started. */
export function usableServers(config: Config): string[] {
  return config.servers.filter((server) => server.enabled && server.trusted).map((server) => server.id);
}

/** The servers that are configured and cannot be used, for those who miss their tools. */
export function idleServers({ servers }: Config): {
  readonly unusable: readonly string[];
  readonly untrusted: readonly string[];
} {
  const enabled = servers.filter((server) => server.enabled);
  const unusable = enabled.filter(({ trusted, problems }) => trusted && problems.length > 0);
  const untrusted = enabled.filter(({ trusted }) => !trusted);
  return { unusable: unusable.map(({ id }) => id), untrusted: untrusted.map(({ id }) => id) };
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
