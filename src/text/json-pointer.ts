/** Whether a reference points into its own document, by a path. */
export function isLocalPointer(reference: string): boolean {
  return reference === "#" || reference.startsWith("#/");
}

/** What a JSON Pointer, written as `#/a/b`, points at in a document; undefined where there is nothing, or it leads elsewhere. */
export function readPointer(root: unknown, reference: string): unknown {
  if (!isLocalPointer(reference)) return undefined;
  let target = root;
  for (const part of pointerParts(reference)) {
    const key = decodeFragment(part);
    const holds = typeof target === "object" && target !== null && Object.hasOwn(target, key);
    target = holds ? (target as Record<string, unknown>)[key] : undefined;
  }
  return target;
}

/** The keys of a JSON Pointer, outermost first. */
export function pointerParts(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** In a URI a key may be percent-encoded. */
function decodeFragment(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
