import { isSecretKey } from "../../text/redaction.ts";

/** `OPENAI_KEY`, `Ocp-Apim-Subscription-Key`; a public key is for everybody. */
const KEY_NAME = /^(?!.*public).*(?:^|[_-])key$/i;
/** One long word with letters and digits, and no path: nobody calls a column or a button like that. */
const DRAWN_BY_LOT = /^(?![/~.])(?=\D*\d)(?=[^A-Za-z]*[A-Za-z])[\w.+/=:~-]{16,}$/;

/** Whether a variable or a header holds a secret. `SORT_KEY=created_at` does not; a name that says more needs no look at the value. */
export function isSecretEntry(name: string, value: string): boolean {
  return isSecretKey(name) || (KEY_NAME.test(name) && DRAWN_BY_LOT.test(value));
}
