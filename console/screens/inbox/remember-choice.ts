/** How much a remembered yes allows. */
export interface RememberChoice {
  /** Only where these arguments have the same values. */
  readonly same: readonly string[];
  /** As it is typed; empty for any number of times. */
  readonly times: string;
  /** Only for the script that asks. */
  readonly isScript: boolean;
}

export const REMEMBER_ALL: RememberChoice = { same: [], times: "", isScript: false };

/** More than anybody means by "so often"; the gateway refuses more. */
const TIMES_MAX = 1_000_000;

function timesOf(text: string): number | undefined {
  const times = Number(text);
  return text.trim() !== "" && Number.isSafeInteger(times) && times >= 1 && times <= TIMES_MAX
    ? times
    : undefined;
}

export function timesProblem({ times }: RememberChoice): string | undefined {
  return times.trim() === "" || timesOf(times) !== undefined
    ? undefined
    : "A whole number from 1 to 1,000,000.";
}

/** As `proposeRule` takes it. */
export function proposalQuery({ same, times, isScript }: RememberChoice) {
  return {
    ...(same.length > 0 && { same: same.join(",") }),
    ...(timesOf(times) !== undefined && { times: timesOf(times) }),
    ...(isScript && { script: "true" as const }),
  };
}

/** As `decideRun` takes it. */
export function rememberBody({ same, times, isScript }: RememberChoice) {
  const count = timesOf(times);
  return {
    ...(same.length > 0 && { same: [...same] }),
    ...(count !== undefined && { times: count }),
    ...(isScript && { script: true }),
  };
}

export interface SameArgument {
  readonly name: string;
  readonly value: unknown;
  /** Why it cannot be compared. */
  readonly problem?: string;
}

/** The arguments that a rule can be bound to: plain values, by a name that a list of names can hold. */
export function sameArguments(args: unknown): SameArgument[] {
  if (typeof args !== "object" || args === null || Array.isArray(args)) return [];
  return Object.entries(args).map(([name, value]) => {
    if (typeof value === "object" && value !== null) {
      return { name, value, problem: "Only texts, numbers, true, false and null can be compared." };
    }
    return name.includes(",")
      ? { name, value, problem: "A name with a comma cannot be given." }
      : { name, value };
  });
}
