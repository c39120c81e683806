import { useEffect, useState } from "react";
import { toolErrorOf } from "../../api/api-error.ts";
import { ask, type Answer } from "../../api/client.ts";

type Checked = Answer<"checkCode">;

/** What is known of the code that is in the editor. */
export type Check =
  | { readonly state: "empty" }
  | { readonly state: "checking" }
  | { readonly state: "checked"; readonly checked: Checked }
  | { readonly state: "failed"; readonly message: string };

/** Between the last key and the check, which starts a type checker. */
const PAUSE_MS = 400;
const EMPTY: Check = { state: "empty" };
const CHECKING: Check = { state: "checking" };

/** Checks the code as `execute` would before it runs it; `basis` changes when the tools do. */
export function useCheck(code: string, basis: unknown): Check {
  const [check, setCheck] = useState<Check>(EMPTY);
  useEffect(() => {
    if (code.trim() === "") {
      setCheck(EMPTY);
      return;
    }
    setCheck(CHECKING);
    const gone = new AbortController();
    const timer = setTimeout(() => void checkNow(code, gone.signal, setCheck), PAUSE_MS);
    return () => {
      clearTimeout(timer);
      gone.abort();
    };
  }, [code, basis]);
  return check;
}

async function checkNow(code: string, gone: AbortSignal, setCheck: (check: Check) => void): Promise<void> {
  try {
    const checked = await ask("checkCode", { body: { code } }, gone);
    if (!gone.aborted) setCheck({ state: "checked", checked });
  } catch (failure) {
    if (!gone.aborted) setCheck({ state: "failed", message: toolErrorOf(failure).message });
  }
}
