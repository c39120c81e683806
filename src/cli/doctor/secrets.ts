import { countOf } from "../terminal/wording.ts";
import { openSecretStore } from "../../app/app.ts";
import { commandLine } from "../command-line.ts";
import type { Check } from "./check.ts";
import type { GlobalOptions } from "../global-options.ts";

/** What protects the values that are kept, and whether they can still be read. */
export async function checkSecrets(
  home: string,
  options: GlobalOptions,
  secrets = openSecretStore({ home }),
): Promise<Check[]> {
  const names = secrets.names("");
  if (names.length === 0) return [];
  const sealed = names.filter((name) => secrets.protectionOf(name) === "keyring");
  const lost: string[] = [];
  for (const name of sealed) if ((await secrets.get(name)) === undefined) lost.push(name);
  const parts = [
    ...(sealed.length === 0 ? [] : [`${sealed.length} encrypted with a key in the keyring`]),
    ...(sealed.length === names.length
      ? []
      : [`${names.length - sealed.length} in a file that only you can read`]),
  ];
  const message = `${countOf(names.length, "value")} stored: ${parts.join(", ")}`;
  return [
    { name: "secrets", state: "ok", message },
    ...lost.map((name): Check => ({ name: "secrets", state: "failed", ...describeLost(name, options) })),
  ];
}

/** A value is kept under `input:ID` or `oauth:SERVER:…`. */
function describeLost(name: string, options: GlobalOptions): Pick<Check, "message" | "cure" | "advice"> {
  const [kind, subject = ""] = name.split(":", 2);
  const isInput = kind === "input";
  const what = isInput ? `the input ${subject}` : `the login to ${subject}`;
  return {
    message: `${what} cannot be read: it is encrypted with a key that is not in this keyring`,
    cure: commandLine(isInput ? ["input", "set", subject] : ["login", subject], options),
    advice:
      "Set it again, or unlock the keyring that has its key (REPERTOIRE_KEYRING=off disables the keyring).",
  };
}
