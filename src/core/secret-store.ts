/** What protects a value: the system's keyring, the permissions of a file, or a key that the database does not have. */
export type SecretProtection = "keyring" | "file" | "database";

/** Keeps small secrets across processes: tokens, and what they belong to. Values are never logged. */
export interface SecretStore {
  kind(): Promise<SecretProtection>;
  /** Undefined also for a value that cannot be read here, such as one that another session's keyring protects. */
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string): Promise<void>;
  /** Says whether there was one. */
  delete(key: string): Promise<boolean>;
  /** Runs the work while nothing else, in this process or another, does such work under the same name. */
  exclusive<T>(name: string, work: () => Promise<T>): Promise<T>;
}
