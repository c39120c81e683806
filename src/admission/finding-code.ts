/** What kinds of findings there are, and which of them are grave. */

const GRAVITY = {
  hidden_text: "grave",
  instruction_to_model: "grave",
  encoded_text: "grave",
  out_of_scope: "grave",
  live_secret: "grave",
  shadowed_tool: "grave",
  cross_server_reference: "notable",
  unexplained_parameter: "notable",
  oversize_text: "notable",
} as const;

export type FindingCode = keyof typeof GRAVITY;

/** A grave finding is enough to hold a tool: a model that only lists it has read it. */
export type Gravity = "grave" | "notable";

export function gravityOf(code: FindingCode): Gravity {
  return GRAVITY[code];
}

/** Something about the texts of an entry that a person should know. */
export interface TextNote {
  readonly code: FindingCode;
  readonly message: string;
  readonly excerpt: string;
}
