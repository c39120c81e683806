export interface Outcome {
  /** The state whose icon and tone it has. */
  readonly state: "ok" | "failed" | "refuse" | "ask";
  readonly word: string;
}

/** What came of a call. A refused one was never made; one that was asked about waits for a person. */
export function outcomeOf({
  outcome,
  decision,
}: {
  readonly outcome: string;
  readonly decision: string;
}): Outcome {
  if (outcome === "ok") return { state: "ok", word: "OK" };
  if (decision === "refuse") return { state: "refuse", word: "Refused" };
  if (decision === "ask") return { state: "ask", word: "Asked" };
  return { state: "failed", word: outcome === "tool_error" ? "Tool error" : "Failed" };
}
