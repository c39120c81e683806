/** Whether a reference points into its own document, by a path. */
export function isLocalPointer(reference: string): boolean {
  return reference === "#" || reference.startsWith("#/");
}

/** What a JSON Pointer, written as `#/a/b`, points at in a document; undefined where there is nothing, or it leads elsewhere. */
export function readPointer(root: unknown, reference: string): unknown {
  if (!isLocalPointer(reference)) return undefined;
  let target = root;
  for (const part of reference.split("/").slice(1)) {
    const key = decodePart(part);
    const holds = typeof target === "object" && target !== null && Object.hasOwn(target, key);
    target = holds ? (target as Record<string, unknown>)[key] : undefined;
  }
  return target;
}

function decodePart(part: string): string {
  const plain = part.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}
