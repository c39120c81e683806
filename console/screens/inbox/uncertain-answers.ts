/** What a person says of calls whose outcome is not known, one answer for each, as `resumeRun` takes them. */

export type UncertainChoice = "retry" | "skip" | "result";

export interface UncertainAnswer {
  readonly choice?: UncertainChoice;
  /** The JSON of the result, as it is typed. */
  readonly text: string;
}

export const NO_ANSWER: UncertainAnswer = { text: "" };

/** What each choice does, before it is done. */
export const CHOICE_WORDS: Readonly<
  Record<UncertainChoice, { readonly title: string; readonly means: string }>
> = {
  retry: {
    title: "Retry",
    means: "The call is made once more. If it took effect the first time, its effect happens twice.",
  },
  skip: {
    title: "Skip",
    means: "The call is not made. The code goes on as if it had answered null.",
  },
  result: {
    title: "Give a result",
    means:
      "The call is not made. The code goes on with the JSON that you write, as if the tool had answered it.",
  },
};

type Sent = "retry" | "skip" | { readonly result: unknown };

export type SentAnswers =
  | { readonly kind: "ready"; readonly uncertain: Sent | Sent[] }
  | { readonly kind: "missing"; readonly at: number }
  | { readonly kind: "invalid"; readonly at: number; readonly message: string };

/** The answers in the order of the calls: one alone for one call, a list for several. */
export function answersToSend(answers: readonly UncertainAnswer[]): SentAnswers {
  const sent: Sent[] = [];
  for (const [at, { choice, text }] of answers.entries()) {
    if (choice === undefined || (choice === "result" && text.trim() === "")) return { kind: "missing", at };
    if (choice !== "result") {
      sent.push(choice);
      continue;
    }
    const parsed = parseResult(text);
    if (parsed.kind === "invalid") return { ...parsed, at };
    sent.push({ result: parsed.value });
  }
  return { kind: "ready", uncertain: sent.length === 1 ? sent[0]! : sent };
}

type Parsed =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "invalid"; readonly message: string };

function parseResult(text: string): Parsed {
  try {
    return { kind: "value", value: JSON.parse(text) };
  } catch (error) {
    return { kind: "invalid", message: `This is not JSON: ${(error as Error).message}.` };
  }
}
