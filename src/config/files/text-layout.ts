/** The line break of a text: that of its first line. */
export function lineBreakOf(text: string): "\r\n" | "\n" {
  const at = text.indexOf("\n");
  return at > 0 && text[at - 1] === "\r" ? "\r\n" : "\n";
}
