/** One place for each document, made once: a search only writes into them and wipes what it wrote. */
export interface Pads {
  readonly total: Float64Array;
  readonly part: Float64Array;
  readonly best: Float64Array;
  /** What the words come to, parts included. */
  readonly words: Float64Array;
  /** How near the closest intents are. */
  readonly near: Float64Array;
  /** How much each was used, from 0 to 1. It stays between searches. */
  readonly uses: Float32Array;
}

/** From here on more uses say nothing more. */
const USES_ENOUGH = 50;

export function shareOfUses(useCount = 0): number {
  return Math.min(1, Math.log1p(useCount) / Math.log1p(USES_ENOUGH));
}

export function createPads(length: number): Pads {
  const pad = () => new Float64Array(length);
  return {
    total: pad(),
    part: pad(),
    best: pad(),
    words: pad(),
    near: pad(),
    uses: new Float32Array(length),
  };
}

export function growPads({ uses }: Pads, slot: number): Pads {
  const pads = createPads(slot * 2);
  pads.uses.set(uses);
  return pads;
}
