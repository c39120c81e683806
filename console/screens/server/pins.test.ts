import { describe, expect, it } from "vitest";
import { decisionOn, heldPins, pinName, sortPins, type Pin } from "./pins.ts";

function pin(name: string, status: Pin["status"], kind: string = "tool"): Pin {
  return {
    server: "desk",
    kind,
    name,
    status,
    since: null,
    reasons: [],
    changes: [],
    approved_at: null,
    approved_by: null,
    offered_hash: `hash of ${name}`,
    used_by: [],
  };
}

const PINS = [
  pin("close", "approved"),
  pin("open", "noted"),
  pin("", "held", "instructions"),
  pin("pay", "held"),
];

describe("the pins of a server", () => {
  it("come with what waits for a person first", () => {
    expect(sortPins(PINS).map(({ status }) => status)).toEqual(["held", "held", "noted", "approved"]);
  });

  it("are named by their kind where they have no name", () => {
    expect(heldPins(PINS).map(pinName)).toEqual(["instructions", "pay"]);
  });

  it("are decided on by the hashes that were shown", () => {
    expect(decisionOn([PINS[3]!], false)).toEqual({
      approve: false,
      pins: [{ kind: "tool", name: "pay", offered_hash: "hash of pay" }],
    });
  });
});
