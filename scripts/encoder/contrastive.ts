/**
 * Trains word vectors so that a text is nearer to the text that belongs to it than to those of the other pairs of its
 * batch (InfoNCE, both ways). Of texts that a teacher knows, it learns instead how near each is to the others of its
 * batch, and where it is. A text is the sum of its words, one long.
 */

export interface IdPair {
  readonly one: Uint32Array;
  readonly other: Uint32Array;
}

export interface TaughtText {
  readonly ids: Uint32Array;
  /** What the teacher says of it, one long. */
  readonly vector: Float32Array;
}

export interface Training {
  readonly dims: number;
  readonly batch: number;
  readonly rate: number;
  readonly temperature: number;
  /** How sharply the teacher tells near from far. */
  readonly taughtTemperature: number;
  /** How much it counts where a taught text is, beside how near it is to others. */
  readonly placeWeight: number;
  /** How many of its words a text has in a step: what is left must do for what is missing. */
  readonly kept: number;
}

const DECAY_1 = 0.9;
const DECAY_2 = 0.99;
const EPSILON = 1e-8;

export interface Trainer {
  /** One pass, pairs and taught texts in batches of their own that take turns; returns the mean loss. */
  epoch(examples: readonly (IdPair | TaughtText)[], rateOf: (share: number) => number): number;
}

export function createTrainer(
  rows: Float32Array,
  { dims, batch, temperature, taughtTemperature, placeWeight, kept }: Training,
  random: () => number,
): Trainer {
  const first = new Float32Array(rows.length);
  const second = new Float32Array(rows.length);
  const grads = new Float32Array(rows.length);
  const steps = new Uint32Array(rows.length / dims);
  const isTouched = new Uint8Array(rows.length / dims);
  const [a, b] = [createSide(batch, dims), createSide(batch, dims)];
  const scores = new Float32Array(batch * batch);
  const slopes = new Float32Array(batch * batch);
  const aims = new Float32Array(batch * batch);

  function drop(ids: Uint32Array): Uint32Array {
    if (ids.length < 3) return ids;
    const some = ids.filter(() => random() < kept);
    return some.length === 0 ? ids : some;
  }

  function lay(side: Side, at: number, ids: Uint32Array): void {
    const vector = side.vectors.subarray(at * dims, (at + 1) * dims);
    vector.fill(0);
    for (const id of ids) for (let d = 0, from = id * dims; d < dims; d++) vector[d]! += rows[from + d]!;
    let squares = 0;
    for (let d = 0; d < dims; d++) squares += vector[d]! ** 2;
    const length = Math.sqrt(squares) || 1;
    for (let d = 0; d < dims; d++) vector[d]! /= length;
    side.ids[at] = ids;
    side.lengths[at] = length;
  }

  /** How near each text should be to each, the sums of rows one: to its own alone, or as the teacher has it. */
  function aimAt(taught: readonly TaughtText[] | undefined, count: number): void {
    aims.fill(0, 0, count * count);
    for (let i = 0; i < count; i++) {
      if (taught === undefined) {
        aims[i * count + i] = 1;
        continue;
      }
      let sum = 0;
      for (let j = 0; j < count; j++) {
        const near = dot(taught[i]!.vector, 0, taught[j]!.vector, 0, dims);
        sum += aims[i * count + j] = Math.exp((near - 1) / taughtTemperature);
      }
      for (let j = 0; j < count; j++) aims[i * count + j]! /= sum;
    }
  }

  /** Loss, and its slope by each score. */
  function judge(count: number): number {
    for (let i = 0; i < count; i++)
      for (let j = 0; j < count; j++)
        scores[i * count + j] = dot(a.vectors, i * dims, b.vectors, j * dims, dims) / temperature;
    slopes.fill(0, 0, count * count);
    let loss = 0;
    const sums = new Float64Array(count);
    for (let i = 0; i < count; i++) {
      let sum = 0;
      for (let j = 0; j < count; j++) {
        const power = Math.exp(scores[i * count + j]!);
        sum += power;
        sums[j]! += power;
      }
      loss += Math.log(sum) - scores[i * count + i]!;
      for (let j = 0; j < count; j++) slopes[i * count + j] = Math.exp(scores[i * count + j]!) / sum;
    }
    for (let i = 0; i < count; i++) {
      for (let j = 0; j < count; j++) {
        const at = i * count + j;
        slopes[at] =
          0.5 * (slopes[at]! + Math.exp(scores[at]!) / sums[j]! - aims[at]! - aims[j * count + i]!);
      }
    }
    return loss / count;
  }

  function spread(side: Side, count: number, touched: number[]): void {
    for (let i = 0; i < count; i++) {
      const at = i * dims;
      const along = dot(side.slopes, at, side.vectors, at, dims);
      const scale = 1 / (side.lengths[i]! * temperature * count);
      for (const id of side.ids[i]!) {
        if (isTouched[id] === 0) {
          isTouched[id] = 1;
          touched.push(id);
        }
        for (let d = 0, to = id * dims; d < dims; d++)
          grads[to + d]! += (side.slopes[at + d]! - along * side.vectors[at + d]!) * scale;
      }
    }
  }

  /** Adam, for the rows that the batch has. */
  function step(touched: readonly number[], rate: number): void {
    for (const id of touched) {
      isTouched[id] = 0;
      const time = ++steps[id]!;
      const bias1 = 1 - DECAY_1 ** time;
      const bias2 = 1 - DECAY_2 ** time;
      for (let at = id * dims, end = at + dims; at < end; at++) {
        const grad = grads[at]!;
        grads[at] = 0;
        first[at] = DECAY_1 * first[at]! + (1 - DECAY_1) * grad;
        second[at] = DECAY_2 * second[at]! + (1 - DECAY_2) * grad * grad;
        rows[at]! -= (rate * (first[at]! / bias1)) / (Math.sqrt(second[at]! / bias2) + EPSILON);
      }
    }
  }

  function learn(pairs: readonly IdPair[], taught: readonly TaughtText[] | undefined, rate: number): number {
    const count = pairs.length;
    for (const [at, { one, other }] of pairs.entries()) {
      lay(a, at, drop(one));
      lay(b, at, drop(other));
    }
    aimAt(taught, count);
    const loss = judge(count);
    a.slopes.fill(0);
    b.slopes.fill(0);
    for (let i = 0; i < count; i++)
      for (let j = 0; j < count; j++) {
        const slope = slopes[i * count + j]!;
        if (Math.abs(slope) < 1e-5) continue;
        for (let d = 0, x = i * dims, y = j * dims; d < dims; d++) {
          a.slopes[x + d]! += slope * b.vectors[y + d]!;
          b.slopes[y + d]! += slope * a.vectors[x + d]!;
        }
      }
    for (const [at, { vector }] of (taught ?? []).entries())
      for (const side of [a, b])
        for (let d = 0; d < dims; d++) side.slopes[at * dims + d]! -= placeWeight * vector[d]!;
    const touched: number[] = [];
    spread(a, count, touched);
    spread(b, count, touched);
    step(touched, rate);
    return loss;
  }

  return {
    epoch(examples, rateOf) {
      const batches = batchesOf(examples, batch);
      let loss = 0;
      for (const [at, some] of batches.entries()) {
        const rate = rateOf(at / batches.length);
        const taught = some.filter((one) => "vector" in one);
        loss +=
          taught.length > 0
            ? learn(
                taught.map(({ ids }) => ({ one: ids, other: ids })),
                taught,
                rate,
              )
            : learn(some as readonly IdPair[], undefined, rate);
      }
      return loss / batches.length;
    },
  };
}

/** Full ones of one kind, spread evenly. */
function batchesOf(
  examples: readonly (IdPair | TaughtText)[],
  size: number,
): (readonly (IdPair | TaughtText)[])[] {
  const [pairs, taught]: (IdPair | TaughtText)[][] = [[], []];
  const batches: (readonly (IdPair | TaughtText)[])[] = [];
  for (const one of examples) {
    const some = "vector" in one ? taught! : pairs!;
    some.push(one);
    if (some.length === size) batches.push(some.splice(0));
  }
  return batches;
}

interface Side {
  readonly vectors: Float32Array;
  readonly slopes: Float32Array;
  readonly lengths: Float32Array;
  readonly ids: Uint32Array[];
}

function createSide(batch: number, dims: number): Side {
  return {
    vectors: new Float32Array(batch * dims),
    slopes: new Float32Array(batch * dims),
    lengths: new Float32Array(batch),
    ids: [],
  };
}

function dot(one: Float32Array, from: number, other: Float32Array, at: number, dims: number): number {
  let [w, x, y, z] = [0, 0, 0, 0];
  for (let d = 0; d < dims; d += 4) {
    w += one[from + d]! * other[at + d]!;
    x += one[from + d + 1]! * other[at + d + 1]!;
    y += one[from + d + 2]! * other[at + d + 2]!;
    z += one[from + d + 3]! * other[at + d + 3]!;
  }
  return w + x + y + z;
}
