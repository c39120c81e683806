/**
 * What comes and goes with every call, by its id. In the order in which it came.
 *
 * A Map or a Set is wrong for that. While entries come and go, V8 replaces its table again and again, and the replaced
 * table keeps its entries and points to the next one. Once one table has reached the old generation, it keeps every later
 * one alive, with all entries that they ever had, until the whole heap is collected. Under load, nearly everything of a
 * call reached the old generation that way. An object in dictionary mode has no such link.
 */
export class InFlight<V, Id extends string | number = number> {
  readonly #entries = Object.create(null) as Record<string | number, Entry<V, Id>>;
  #size = 0;
  #place = 0;

  get size(): number {
    return this.#size;
  }

  /** Under an id that nothing else has, as long as all are added so. */
  add(value: V): number {
    this.set((this.#place + 1) as Id, value);
    return this.#place;
  }

  set(id: Id, value: V): void {
    const key = keyOf(id)!;
    const known = this.#entries[key];
    if (known === undefined) this.#size++;
    this.#entries[key] = { id, place: known?.place ?? ++this.#place, value };
  }

  get(id: unknown): V | undefined {
    const key = keyOf(id);
    return key === undefined ? undefined : this.#entries[key]?.value;
  }

  has(id: unknown): boolean {
    const key = keyOf(id);
    return key !== undefined && this.#entries[key] !== undefined;
  }

  /** Whether it was there. */
  delete(id: unknown): boolean {
    if (!this.has(id)) return false;
    delete this.#entries[keyOf(id)!];
    this.#size--;
    return true;
  }

  ids(): Id[] {
    return this.#inOrder().map(({ id }) => id);
  }

  values(): V[] {
    return this.#inOrder().map(({ value }) => value);
  }

  #inOrder(): Entry<V, Id>[] {
    return Object.values(this.#entries).sort((one, other) => one.place - other.place);
  }
}

interface Entry<V, Id> {
  readonly id: Id;
  readonly place: number;
  readonly value: V;
}

/** 1 and "1" are two ids. */
function keyOf(id: unknown): string | number | undefined {
  if (typeof id === "number") return id;
  return typeof id === "string" ? `$${id}` : undefined;
}
