import { useNavigate } from "@tanstack/react-router";
import { useAsk } from "../../api/queries.ts";
import { useKeys } from "../../parts/keys.ts";
import { readReference } from "./item-reference.ts";

/** `[` and `]` go to the item before and after this one, in the order of the library. */
export function useItemNeighbours(reference: string): void {
  const asked = useAsk("listLibrary", {});
  const navigate = useNavigate();
  const names = asked.data?.items.map(({ name }) => name) ?? [];
  const go = (step: number) => {
    const at = names.indexOf(readReference(reference).name);
    const next = at === -1 ? undefined : names[at + step];
    if (next !== undefined) void navigate({ to: "/library/$name", params: { name: next } });
  };
  useKeys({
    "[": { label: "Item before", group: "This screen", run: () => go(-1) },
    "]": { label: "Next item", group: "This screen", run: () => go(1) },
  });
}
