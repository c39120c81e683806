/** Chance that is the same in every run. */
import { createHash } from "node:crypto";

/** The items in an order that depends on the seed alone. */
export function shuffle<T>(items: readonly T[], seed: string): T[] {
  const random = createRandom(seed);
  const shuffled = [...items];
  for (let i = shuffled.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [shuffled[i], shuffled[j]] = [shuffled[j]!, shuffled[i]!];
  }
  return shuffled;
}

/** A linear congruential generator: enough for a fair order, and the same on every machine. */
export function createRandom(seed: string): () => number {
  let state = createHash("sha256").update(seed).digest().readUInt32LE(0);
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
