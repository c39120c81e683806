import { findJsonProblem } from "../../core/json.ts";

/**
 * A thread that runs out of memory within one native step, such as taking in a message, can end the whole process. So
 * many values take about a tenth of its memory.
 */
const ARGUMENT_VALUE_COUNT_MAX = 100_000;

/** Why arguments cannot be handed to the thread; what passes is plain data and can be copied. */
export function findArgumentProblem(args: unknown): string | undefined {
  if (hasMoreValuesThan(ARGUMENT_VALUE_COUNT_MAX, args))
    return `they have more than ${ARGUMENT_VALUE_COUNT_MAX} values`;
  return findJsonProblem(args);
}

function hasMoreValuesThan(countMax: number, root: unknown): boolean {
  let count = 1;
  const stack: unknown[] = [root];
  for (let value = stack.pop(); value !== undefined; value = stack.pop()) {
    if (typeof value !== "object" || value === null) continue;
    const children: unknown[] = Array.isArray(value) ? value : Object.values(value);
    count += children.length;
    if (count > countMax) return true;
    for (const child of children) stack.push(child);
  }
  return false;
}
