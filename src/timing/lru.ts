/** Keeps the most recently used entries: so many of them, and no more than so much in all. */
export interface Lru<V> {
  get(key: string): V | undefined;
  /** `size` is whatever the limit counts; an entry that is larger than the limit is not kept. */
  set(key: string, value: V, size: number): void;
  remove(key: string): void;
}

export interface LruLimits {
  readonly countMax: number;
  readonly sizeMax: number;
}

export function createLru<V>({ countMax, sizeMax }: LruLimits): Lru<V> {
  /** The least recently used entry is first. */
  const entries = new Map<string, { readonly value: V; readonly size: number }>();
  let total = 0;

  function remove(key: string): void {
    total -= entries.get(key)?.size ?? 0;
    entries.delete(key);
  }

  return {
    remove,
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },
    set(key, value, size) {
      remove(key);
      if (size > sizeMax) return;
      entries.set(key, { value, size });
      total += size;
      while (entries.size > countMax || total > sizeMax) remove(entries.keys().next().value!);
    },
  };
}
