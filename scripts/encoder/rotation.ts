/**
 * Turns all vectors so that the first numbers say most. The cosine of two stays what it is, and that of their first
 * numbers alone comes as near to it as so few can.
 */
const SWEEPS_MAX = 30;
const SMALL = 1e-10;

/** By the axes along which the vectors are longest (Jacobi's method on their covariance). */
export function rotateByWeight(rows: Float32Array, dims: number): Float32Array {
  const spread = covarianceOf(rows, dims);
  const axes = diagonalise(spread, dims);
  const order = Array.from({ length: dims }, (_, d) => d).toSorted(
    (a, b) => spread[b * dims + b]! - spread[a * dims + a]!,
  );
  const turned = new Float32Array(rows.length);
  for (let at = 0; at < rows.length; at += dims)
    for (const [to, axis] of order.entries()) {
      let sum = 0;
      for (let d = 0; d < dims; d++) sum += rows[at + d]! * axes[d * dims + axis]!;
      turned[at + to] = sum;
    }
  return turned;
}

function covarianceOf(rows: Float32Array, dims: number): Float64Array {
  const spread = new Float64Array(dims * dims);
  for (let at = 0; at < rows.length; at += dims)
    for (let i = 0; i < dims; i++)
      for (let j = 0; j < dims; j++) spread[i * dims + j]! += rows[at + i]! * rows[at + j]!;
  return spread;
}

/** Leaves the lengths on the diagonal; returns the axes as columns. */
function diagonalise(matrix: Float64Array, dims: number): Float64Array {
  const axes = new Float64Array(dims * dims);
  for (let d = 0; d < dims; d++) axes[d * dims + d] = 1;
  for (let sweep = 0; sweep < SWEEPS_MAX; sweep++) {
    let off = 0;
    let all = 0;
    for (let i = 0; i < dims; i++)
      for (let j = 0; j < dims; j++) {
        const square = matrix[i * dims + j]! ** 2;
        all += square;
        if (i !== j) off += square;
      }
    if (off <= SMALL * all) break;
    for (let p = 0; p < dims - 1; p++) for (let q = p + 1; q < dims; q++) rotate(matrix, axes, dims, p, q);
  }
  return axes;
}

function rotate(matrix: Float64Array, axes: Float64Array, dims: number, p: number, q: number): void {
  const off = matrix[p * dims + q]!;
  if (off === 0) return;
  const theta = (matrix[q * dims + q]! - matrix[p * dims + p]!) / (2 * off);
  const tangent = Math.sign(theta || 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const cosine = 1 / Math.sqrt(tangent * tangent + 1);
  const sine = tangent * cosine;
  for (let k = 0; k < dims; k++) turn(matrix, k * dims + p, k * dims + q, cosine, sine);
  for (let k = 0; k < dims; k++) turn(matrix, p * dims + k, q * dims + k, cosine, sine);
  for (let k = 0; k < dims; k++) turn(axes, k * dims + p, k * dims + q, cosine, sine);
}

function turn(numbers: Float64Array, one: number, other: number, cosine: number, sine: number): void {
  const [x, y] = [numbers[one]!, numbers[other]!];
  numbers[one] = cosine * x - sine * y;
  numbers[other] = sine * x + cosine * y;
}
