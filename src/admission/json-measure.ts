export interface MeasureLimits {
  readonly bytesMax: number;
  readonly depthMax: number;
  readonly valueCountMax: number;
}

export type Measure =
  | { readonly kind: "within"; readonly bytes: number }
  /** `bytes` is how far it was read. */
  | { readonly kind: "beyond"; readonly bytes: number; readonly problem: string };

/**
 * The size of a value as JSON text, or which limit it breaks. It stops at the limit, so a value costs no more than its
 * allowance, however large, deep or circular it is. What kind of values they are is not its question.
 */
export function measureJson(root: unknown, limits: MeasureLimits): Measure {
  let bytes = 0;
  let valueCount = 0;
  const stack: { value: unknown; depth: number }[] = [{ value: root, depth: 0 }];
  for (let entry = stack.pop(); entry !== undefined; entry = stack.pop()) {
    const { value, depth } = entry;
    bytes += bytesOf(value);
    if (bytes > limits.bytesMax) return beyond(bytes, `is larger than ${limits.bytesMax} bytes`);
    if (++valueCount > limits.valueCountMax)
      return beyond(bytes, `has more than ${limits.valueCountMax} values`);
    if (typeof value !== "object" || value === null) continue;
    if (depth >= limits.depthMax) return beyond(bytes, `nests deeper than ${limits.depthMax} levels`);
    const children: unknown[] = Array.isArray(value) ? value : Object.values(value);
    // Each child costs at least one value: a list of a million is refused before it is put on the stack.
    if (valueCount + stack.length + children.length > limits.valueCountMax) {
      return beyond(bytes, `has more than ${limits.valueCountMax} values`);
    }
    for (const child of children) stack.push({ value: child, depth: depth + 1 });
  }
  return { kind: "within", bytes };
}

function beyond(bytes: number, problem: string): Measure {
  return { kind: "beyond", bytes, problem };
}

/** Without the children of an object or list; quotes, colons and commas counted roughly. */
function bytesOf(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(value) + 3;
  if (typeof value !== "object" || value === null) return 5;
  if (Array.isArray(value)) return 2;
  let bytes = 2;
  for (const key of Object.keys(value)) bytes += Buffer.byteLength(key) + 3;
  return bytes;
}
