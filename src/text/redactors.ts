/** The redactors of one gateway, each made once for as long as the config has the same secrets. */
import { createRedactor, knownSecrets, secretsUnderKeys, type Redactor } from "./redaction.ts";

const NONE: readonly string[] = [];

export interface Redactors {
  /** Knows the secrets of the config as it is now. */
  readonly current: () => Redactor;
  /** Knows also what was given under the name of a secret, such as a run's `inputs.password`: it is one wherever it appears. */
  knowing(given: unknown): Redactor;
  /** The secrets of the config that are long enough to be looked for. */
  known(): readonly string[];
}

export function createRedactors(secrets: () => readonly string[]): Redactors {
  let made: { readonly of: readonly string[]; readonly redactor: Redactor } | undefined;
  const current = (): Redactor => {
    const of = secrets();
    if (made?.of !== of) made = { of, redactor: createRedactor(of) };
    return made.redactor;
  };
  return {
    current,
    knowing(given) {
      const named = secretsUnderKeys(given);
      return named.length === 0 ? current() : createRedactor([...secrets(), ...named]);
    },
    known: () => knownSecrets(secrets()),
  };
}

/** For a caller without a config: keys and patterns alone. */
export const NO_SECRETS: Redactors = createRedactors(() => NONE);
