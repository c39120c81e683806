import { useEffect, useState } from "react";
import type { Answer } from "../../../api/client.ts";
import { useAsker } from "../../../api/queries.ts";

/** Between the last key and the check. */
const TYPING_MS = 400;

export interface Checked {
  /** Of the code as it is now; undefined while it is being checked. */
  readonly answer: Answer<"checkCode"> | undefined;
  readonly error: unknown;
}

const CHECKING: Checked = { answer: undefined, error: undefined };

/** Checks code as `execute` would before it runs it, a moment after the last change. */
export function useChecked(code: string): Checked {
  const ask = useAsker();
  const [checked, setChecked] = useState<Checked & { readonly code: string }>({ ...CHECKING, code: "" });
  useEffect(() => {
    let isCurrent = true;
    const timer = setTimeout(() => {
      ask("checkCode", { body: { code } }).then(
        (answer) => isCurrent && setChecked({ code, answer, error: undefined }),
        (error: unknown) => isCurrent && setChecked({ code, answer: undefined, error }),
      );
    }, TYPING_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [ask, code]);
  return checked.code === code ? checked : CHECKING;
}
