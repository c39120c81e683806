import type { Answer } from "../../api/client.ts";

export type ServerRow = Answer<"listServers">["servers"][number];

/** Why a server is in its state, in one line; undefined where the state says it all. */
export function reasonOf(
  server: Pick<ServerRow, "state" | "error" | "problems" | "missingInputs" | "starting">,
): string | undefined {
  const { state, error, problems = [], missingInputs = [], starting } = server;
  switch (state) {
    case "needs_input":
      return `Needs ${missingInputs.join(", ")}`;
    case "unusable":
      return problems.map(({ message }) => message).join("; ") || error;
    case "starting":
      return starting?.said;
    case "untrusted":
      return error ?? "It comes from a project whose config was not trusted yet";
    default:
      return error;
  }
}

/** States in which something is for a person to do, or went wrong. */
const TROUBLED: ReadonlySet<ServerRow["state"]> = new Set(["failed", "unusable", "needs_input", "untrusted"]);

export function isTroubled({ state }: Pick<ServerRow, "state">): boolean {
  return TROUBLED.has(state);
}

export interface ServerFilter {
  /** Part of the id, the target or the reason. */
  readonly text?: string | undefined;
  /** One or several states, separated by commas. */
  readonly state?: string | undefined;
}

export function filterServers(
  servers: readonly ServerRow[],
  { text, state }: ServerFilter,
): readonly ServerRow[] {
  const words = (text ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const states = state?.split(",") ?? [];
  return servers.filter((server) => {
    const all = `${server.id} ${server.target} ${reasonOf(server) ?? ""}`.toLowerCase();
    return (
      (states.length === 0 || states.includes(server.state)) && words.every((word) => all.includes(word))
    );
  });
}

/** `3 ready, 1 failed`, in the order in which they first come. */
export function countStates(
  servers: readonly Pick<ServerRow, "state">[],
): ReadonlyMap<ServerRow["state"], number> {
  const counts = new Map<ServerRow["state"], number>();
  for (const { state } of servers) counts.set(state, (counts.get(state) ?? 0) + 1);
  return counts;
}

/** How it is spoken to, as its target tells it: an address, or a program. Its own page says which of the two kinds of HTTP. */
export function transportOf({ target }: Pick<ServerRow, "target">): "HTTP" | "stdio" {
  return /^https?:\/\//i.test(target) ? "HTTP" : "stdio";
}
