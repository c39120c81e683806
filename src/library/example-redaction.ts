/**
 * What an example may hold of the run that it comes from. Beside the secrets that the config knows, whatever stands under the name
 * of a secret is taken out wherever else it appears: code hands a password on, and returns it.
 */
import { KNOWN_SECRET_LENGTH_MIN, secretsUnderKeys } from "../text/redaction.ts";
import type { Redactors } from "../text/redactors.ts";
import type { CapabilityExample } from "../core/store.ts";

/** The example without secrets, or nothing where one is too short to be told from ordinary text. */
export function redactExample(
  example: CapabilityExample,
  redactors: Pick<Redactors, "knowing">,
): CapabilityExample | undefined {
  const given = [example.inputs, ...example.calls.map(({ args }) => args)];
  if (secretsUnderKeys(given).some((secret) => secret.length < KNOWN_SECRET_LENGTH_MIN)) return undefined;
  const redactor = redactors.knowing(given);
  const { inputs, calls, result } = example;
  return { ...example, ...(redactor.value({ inputs, calls, result }) as CapabilityExample) };
}
