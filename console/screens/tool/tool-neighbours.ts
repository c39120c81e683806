import { useNavigate } from "@tanstack/react-router";
import { useAsk } from "../../api/queries.ts";
import { useKeys } from "../../parts/keys.ts";

/** `[` and `]` go to the tool before and after this one. */
export function useNeighbours(name: string): void {
  const known = useAsk("listTools", {});
  const navigate = useNavigate();
  const names = known.data?.tools.map((tool) => tool.name) ?? [];
  const go = (step: number) => {
    const at = names.indexOf(name);
    const next = at < 0 ? undefined : names[at + step];
    if (next !== undefined) void navigate({ to: "/tools/$tool", params: { tool: next } });
  };
  useKeys({
    "[": { label: "Tool before", group: "This screen", run: () => go(-1) },
    "]": { label: "Next tool", group: "This screen", run: () => go(1) },
  });
}
