/** Which documents have a term, and with what weight. Two flat arrays: half the memory of objects, and read at once. */
export interface Postings {
  readonly count: number;
  readonly slots: Uint32Array;
  readonly weights: Float32Array;
  add(slot: number, weight: number): void;
  /** Drops the documents that are gone. */
  keep(isKept: (slot: number) => boolean): void;
}

const FIRST_LENGTH = 2;

export function createPostings(): Postings {
  let count = 0;
  let slots = new Uint32Array(FIRST_LENGTH);
  let weights = new Float32Array(FIRST_LENGTH);

  function grow(): void {
    const [oldSlots, oldWeights] = [slots, weights];
    slots = new Uint32Array(count * 2);
    weights = new Float32Array(count * 2);
    slots.set(oldSlots);
    weights.set(oldWeights);
  }

  return {
    get count() {
      return count;
    },
    get slots() {
      return slots;
    },
    get weights() {
      return weights;
    },
    add(slot, weight) {
      if (count === slots.length) grow();
      slots[count] = slot;
      weights[count] = weight;
      count++;
    },
    keep(isKept) {
      let kept = 0;
      for (let at = 0; at < count; at++) {
        if (!isKept(slots[at]!)) continue;
        slots[kept] = slots[at]!;
        weights[kept] = weights[at]!;
        kept++;
      }
      count = kept;
    },
  };
}
