import { useNavigate } from "@tanstack/react-router";
import { useAsk } from "../../api/queries.ts";
import { useKeys } from "../../parts/keys.ts";

/** `[` and `]` go to the server before and after this one, in the order of the list. */
export function useNeighbours(id: string): void {
  const asked = useAsk("listServers", {});
  const navigate = useNavigate();
  const ids = asked.data?.servers.map((server) => server.id) ?? [];
  const go = (step: number) => {
    const next = ids[ids.indexOf(id) + step];
    if (next !== undefined) void navigate({ to: "/servers/$server", params: { server: next } });
  };
  useKeys({
    "[": { label: "Server before", group: "This screen", run: () => go(-1) },
    "]": { label: "Next server", group: "This screen", run: () => go(1) },
  });
}
