import { within } from "../timing/deadline.ts";

/**
 * One secret in the keyring of the system: Secret Service on Linux, the keychain on macOS, the credential manager on Windows.
 * The kernel's keyring of Linux is not used: it is empty after the next start of the machine.
 */
export interface Keyring {
  get(): Promise<string | undefined>;
  set(secret: string): Promise<void>;
}

const SERVICE = "repertoire";
/** A keyring that is locked may ask the user first; one that says nothing for so long is not there. */
const ANSWER_MS = 20_000;

/** Asks once whether the keyring works; undefined where there is none, or the package for it is not installed. */
export async function openKeyring(account: string): Promise<Keyring | undefined> {
  try {
    const { AsyncEntry } = await import("@napi-rs/keyring");
    const entry = new AsyncEntry(SERVICE, account, { linux: { store: "secret-service" } });
    const keyring: Keyring = {
      get: async () => (await answered(entry.getPassword())) ?? undefined,
      set: (secret) => answered(entry.setPassword(secret)),
    };
    await keyring.get();
    return keyring;
  } catch {
    return undefined;
  }
}

function answered<T>(work: Promise<T>): Promise<T> {
  return within(work, ANSWER_MS, {
    late: (): never => {
      throw new Error(`the keyring did not answer within ${ANSWER_MS} ms`);
    },
  });
}
