/**
 * `JSON.parse` keeps the last of two equal keys and says nothing; another reader of the same text may keep the first. A
 * program that checks one reading and acts on another can be deceived, so an object with a duplicate key is refused on arrival.
 *
 * Every key of an object is followed by one colon outside of strings, so it is enough to count: fewer keys in the value than
 * colons in its text means that one was lost.
 */
const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;

/** `text` is JSON in UTF-8 and `value` what it was parsed to. */
export function hasDuplicateKeys(text: Uint8Array, value: unknown): boolean {
  return countColons(text) !== countKeys(value);
}

function countColons(text: Uint8Array): number {
  let count = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const byte = text[at];
    if (byte === QUOTE) isInString = !isInString;
    else if (byte === BACKSLASH) at++;
    else if (byte === COLON && !isInString) count++;
  }
  return count;
}

function countKeys(root: unknown): number {
  let count = 0;
  const stack: unknown[] = [root];
  while (stack.length > 0) {
    const value = stack.pop();
    if (typeof value !== "object" || value === null) continue;
    const children: unknown[] = Array.isArray(value) ? value : Object.values(value);
    if (!Array.isArray(value)) count += children.length;
    for (const child of children) if (typeof child === "object") stack.push(child);
  }
  return count;
}
