/**
 * What the operators of an expression do with values. Every one of them has an answer for every value, or none can be
 * given and the expression is undecided.
 */

export type Primitive = string | number | boolean | null | undefined;
type Operation = (left: Primitive, right: Primitive) => unknown;

/** A text that an expression makes. Arguments may be longer; two of them put together decide nothing. */
const TEXT_LENGTH_MAX = 1_000_000;

/** Stops an expression that cannot be decided; made once, because a stack is of no use to anybody. */
export const UNDECIDED = new Error("undecided");

function undecided(): never {
  throw UNDECIDED;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

export function primitive(value: unknown): Primitive {
  return isObject(value) ? undecided() : (value as Primitive);
}

export function memberOf(target: unknown, key: unknown): unknown {
  return ownMember(target, String(primitive(key)));
}

/** Own properties alone: nothing of a prototype can be reached, `__proto__` and `constructor` neither. */
export function ownMember(target: unknown, name: string): unknown {
  if (target === null || target === undefined) return undefined;
  return Object.hasOwn(target, name) ? (target as Record<string, unknown>)[name] : undefined;
}

/** What JavaScript does with texts, numbers, truth values, null and undefined. */
export const OPERATIONS: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ["<", (left, right) => left! < right!],
  ["<=", (left, right) => left! <= right!],
  [">", (left, right) => left! > right!],
  [">=", (left, right) => left! >= right!],
  ["+", add],
  ["-", (left, right) => Number(left) - Number(right)],
  ["*", (left, right) => Number(left) * Number(right)],
  ["/", (left, right) => Number(left) / Number(right)],
  ["%", (left, right) => Number(left) % Number(right)],
]);

function add(left: Primitive, right: Primitive): unknown {
  if (typeof left !== "string" && typeof right !== "string") return Number(left) + Number(right);
  const text = String(left) + String(right);
  return text.length > TEXT_LENGTH_MAX ? undecided() : text;
}

export function looselyEqual(left: unknown, right: unknown): boolean {
  const isEmpty = left === null || left === undefined || right === null || right === undefined;
  if (!isEmpty && isObject(left) !== isObject(right)) return undecided();
  // oxlint-disable-next-line eqeqeq -- it is what was written
  return left == right;
}

/**
 * What is not there has no keys. Who asks a text for a key, or a list for anything but 0, 1, 2, …, means what is in it,
 * and that is not what `in` says.
 */
export function hasKey(target: unknown, key: unknown): boolean {
  const name = String(primitive(key));
  if (target === null || target === undefined) return false;
  const isAsked = isObject(target) && (!Array.isArray(target) || /^\d{1,10}$/.test(name));
  return isAsked ? Object.hasOwn(target, name) : undecided();
}
