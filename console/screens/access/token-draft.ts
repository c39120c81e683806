import type { AskInput } from "../../api/client.ts";

export type CreateBody = AskInput<"createToken">["body"];

export const SCOPES = ["read", "call", "write", "admin"] as const;
export const EFFECTS = ["read", "write", "destroy"] as const;
type Scope = (typeof SCOPES)[number];
type Effect = (typeof EFFECTS)[number];

/** A new token as it is in the dialog. */
export interface TokenDraft {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Empty: every profile and the whole gateway. */
  readonly profiles: readonly string[];
  readonly effects: readonly Effect[];
  /** One pattern in each line; empty: all tools. */
  readonly tools: string;
  /** Days from now, `date`, or empty for never. */
  readonly expires: string;
  /** `2027-01-31`, where a date was chosen. */
  readonly date: string;
}

export const EMPTY_DRAFT: TokenDraft = {
  name: "",
  scopes: ["read", "call"],
  profiles: [],
  effects: [...EFFECTS],
  tools: "",
  expires: "30",
  date: "",
};

const DAY_MS = 24 * 60 * 60_000;

/** What is sent. A limit that the token does not have is left out. */
export function bodyOf(draft: TokenDraft, now: number): CreateBody {
  const tools = draft.tools.split(/[\s,]+/).filter((pattern) => pattern !== "");
  const expiresAt = expiryOf(draft, now);
  return {
    name: draft.name.trim(),
    scopes: SCOPES.filter((scope) => draft.scopes.includes(scope)),
    ...(draft.profiles.length > 0 && { profiles: [...draft.profiles] }),
    ...(draft.effects.length < EFFECTS.length && {
      effects: EFFECTS.filter((effect) => draft.effects.includes(effect)),
    }),
    ...(tools.length > 0 && { tools }),
    ...(expiresAt !== undefined && { expires_at: expiresAt }),
  };
}

/** A chosen day ends when it ends where the person is. */
function expiryOf({ expires, date }: TokenDraft, now: number): string | undefined {
  if (expires === "date") {
    const at = Date.parse(`${date}T23:59:59`);
    return Number.isNaN(at) ? undefined : new Date(at).toISOString();
  }
  return expires === "" ? undefined : new Date(now + Number(expires) * DAY_MS).toISOString();
}

/** What is still missing, as a sentence; undefined where it can be sent. */
export function findProblem(draft: TokenDraft): string | undefined {
  if (draft.name.trim() === "") return "Give it a name.";
  if (draft.scopes.length === 0) return "Give it at least one scope.";
  if (draft.effects.length === 0) return "A token without an effect may call nothing.";
  if (draft.expires === "date" && draft.date === "") return "Choose the day on which it ends.";
  return undefined;
}

/** The list with the value, or without it. */
export function withChoice<Value>(values: readonly Value[], value: Value, isOn: boolean): readonly Value[] {
  return isOn ? [...values.filter((each) => each !== value), value] : values.filter((each) => each !== value);
}
