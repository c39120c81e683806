/** What happens to the catalogue, for those who audit it, show it, or follow it from a program. */

export type RegistryEvent = EntryEvent | CacheEvent;

export interface EntryEvent {
  readonly kind: `capability.${"tool" | "resource"}.${"registered" | "updated" | "removed"}`;
  readonly server: string;
  /** The exposed name of a tool, or the exposed URI or template of a resource. */
  readonly name: string;
  /** Of the definition as it is now; as it was, for one that is removed. */
  readonly hash: string;
  /** Of the definition as it was, for one that is updated. */
  readonly previousHash?: string;
}

export interface CacheEvent {
  readonly kind: "capability.cache.updated" | "capability.cache.invalidated";
  readonly server: string;
}

export type RegistryListener = (event: RegistryEvent) => void;
