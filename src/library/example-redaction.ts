/**
 * What an example may hold of the run that it comes from. Beside the secrets that the config knows, whatever stands under the name
 * of a secret is taken out wherever else it appears: code hands a password on, and returns it.
 */
import type { Json } from "../core/json.ts";
import { createRedactor, isSecretKey, KNOWN_SECRET_LENGTH_MIN } from "../core/redaction.ts";
import type { CapabilityExample } from "../core/store.ts";

/** The example without secrets, or nothing where one is too short to be told from ordinary text. */
export function redactExample(
  example: CapabilityExample,
  knownSecrets: readonly string[],
): CapabilityExample | undefined {
  const named = new Set<string>();
  collect([example.inputs, ...example.calls.map(({ args }) => args)], named);
  if ([...named].some((secret) => secret.length < KNOWN_SECRET_LENGTH_MIN)) return undefined;
  const redactor = createRedactor([...knownSecrets, ...named]);
  const { inputs, calls, result } = example;
  return { ...example, ...(redactor.value({ inputs, calls, result }) as CapabilityExample) };
}

/** All texts that stand under the name of a secret. */
function collect(value: Json | undefined, found: Set<string>): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, child] of Object.entries(value)) {
    if (isSecretKey(key) && typeof child === "string" && child !== "") found.add(child);
    else collect(child, found);
  }
}
