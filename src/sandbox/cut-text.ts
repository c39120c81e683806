/** The beginning of a text that has no more than so many bytes in UTF-8, without half a character at its end. */
export function cutToBytes(text: string, bytesMax: number): string {
  // A character has at most three bytes for each of its units.
  if (text.length * 3 <= bytesMax || Buffer.byteLength(text) <= bytesMax) return text;
  const bytes = Buffer.from(text);
  let end = bytesMax;
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--;
  return bytes.toString("utf8", 0, end);
}
