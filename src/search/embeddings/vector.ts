/** The same direction, one long, so that the cosine of two is a sum of products; undefined where that has no end. */
export function normalise(numbers: readonly number[]): Float32Array | undefined {
  let squares = 0;
  for (const one of numbers) squares += one * one;
  if (!Number.isFinite(squares)) return undefined;
  const length = Math.sqrt(squares);
  // What has no direction is near to nothing.
  return Float32Array.from(numbers, (one) => (length === 0 ? 0 : one / length));
}

/** Of two vectors that are one long; undefined where they are of different models. */
export function cosineOf(a: Float32Array, b: Float32Array): number | undefined {
  if (a.length !== b.length) return undefined;
  // Four sums that do not wait for one another: with one, a search over many tools takes twice as long.
  let first = 0;
  let second = 0;
  let third = 0;
  let fourth = 0;
  const even = a.length - (a.length % 4);
  for (let at = 0; at < even; at += 4) {
    first += a[at]! * b[at]!;
    second += a[at + 1]! * b[at + 1]!;
    third += a[at + 2]! * b[at + 2]!;
    fourth += a[at + 3]! * b[at + 3]!;
  }
  for (let at = even; at < a.length; at++) first += a[at]! * b[at]!;
  return first + second + third + fourth;
}
