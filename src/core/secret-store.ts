/** Keeps small secrets across processes: tokens, and what they belong to. Values are never logged. */
export interface SecretStore {
  /** Where a value is protected: by the system's keyring, or by the permissions of a file. */
  kind(): Promise<"keyring" | "file">;
  /** Undefined also for a value that cannot be read here, such as one that another session's keyring protects. */
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string): Promise<void>;
  /** Says whether there was one. */
  delete(key: string): Promise<boolean>;
  /** Runs the work while nothing else, in this process or another, does such work under the same name. */
  exclusive<T>(name: string, work: () => Promise<T>): Promise<T>;
}
