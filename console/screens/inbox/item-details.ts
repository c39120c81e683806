/** What the details of an item say. They are another program's JSON: a field that is not there, or is something else, is left out. */

/** What is held: `kind` and `name` as the server's pin has them. */
export interface HeldDetails {
  readonly kind: string;
  readonly name: string;
  readonly reasons: readonly string[];
}

export function heldOf(details: unknown): HeldDetails {
  const { kind, name, reasons } = recordOf(details);
  return { kind: textOf(kind) ?? "tool", name: textOf(name) ?? "", reasons: textsOf(reasons) };
}

/** What the run that it belongs to was for. */
export function intentOf(details: unknown): string | undefined {
  return textOf(recordOf(details)["intent"]);
}

/** The server that something belongs to, where the subject is something else. */
export function serverOf(details: unknown): string | undefined {
  return textOf(recordOf(details)["server"]);
}

/** What a question says of the call that it is about; a workflow's own question has only `message` and `shown`. */
export interface ApprovalDetails {
  readonly name: string;
  readonly message: string;
  readonly tool?: string | undefined;
  /** The exact arguments; of a workflow's question, everything that it shows. */
  readonly args: unknown;
  readonly effect?: string | undefined;
  readonly rule?: string | undefined;
  readonly why?: string | undefined;
  readonly who?: string | undefined;
  readonly client?: string | undefined;
  readonly profile?: string | undefined;
}

export function approvalOf(details: unknown, title: string): ApprovalDetails {
  const { name, message, details: shown } = recordOf(details);
  const about = recordOf(shown);
  const isCall = typeof about["type"] === "string" && "params" in about;
  return {
    name: textOf(name) ?? "",
    message: textOf(message) ?? title,
    args: isCall ? about["params"] : shown,
    ...(isCall && {
      tool: textOf(about["type"]),
      effect: textOf(about["effect"]),
      rule: textOf(about["rule"]),
      why: textOf(about["why"]) ?? textOf(recordOf(details)["why"]),
      who: textOf(about["who"]),
      client: textOf(about["client"]),
      profile: textOf(about["profile"]),
    }),
  };
}

/** A call that was sent and has no answer on record. */
export interface UncertainCall {
  readonly name: string;
  readonly tool: string;
  readonly args: unknown;
  readonly step?: number | undefined;
  readonly sentAt?: string | undefined;
}

export function uncertainCallsOf(details: unknown): UncertainCall[] {
  const { calls } = recordOf(details);
  return (Array.isArray(calls) ? calls : []).map((call) => {
    const { name, tool, args, step, sent_at: sentAt } = recordOf(call);
    return {
      name: textOf(name) ?? "",
      tool: textOf(tool) ?? textOf(name) ?? "",
      args,
      step: typeof step === "number" ? step : undefined,
      sentAt: textOf(sentAt),
    };
  });
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}
