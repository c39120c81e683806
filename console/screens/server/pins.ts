import type { Answer } from "../../api/client.ts";

export type Pin = Answer<"listPins">["pins"][number];

/** Whether a person can decide on it: it is held or noted, or was rejected and could be approved after all. */
export function isOpen({ status }: Pick<Pin, "status">): boolean {
  return status !== "approved";
}

export function heldPins(pins: readonly Pin[]): readonly Pin[] {
  return pins.filter(({ status }) => status === "held");
}

const ORDER: readonly Pin["status"][] = ["held", "rejected", "noted", "approved"];

/** What waits for a person first. */
export function sortPins(pins: readonly Pin[]): readonly Pin[] {
  return pins.toSorted((a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status));
}

/** `identity` and `instructions` have no name of their own. */
export function pinName({ kind, name }: Pick<Pin, "kind" | "name">): string {
  return name === "" ? kind : name;
}

export function pinKey({ kind, name }: Pick<Pin, "kind" | "name">): string {
  return `${kind} ${name}`;
}

/** A decision on exactly what was shown: one that the server has changed since is refused by the gateway. */
export function decisionOn(pins: readonly Pin[], approve: boolean) {
  return { approve, pins: pins.map(({ kind, name, offered_hash }) => ({ kind, name, offered_hash })) };
}
