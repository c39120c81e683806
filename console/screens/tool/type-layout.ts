/** A type in one line, laid out so that people can read it: an object that is long has a line for each member. */
const WIDTH = 80;
const LITERAL = /"(?:\\.|[^"\\])*"/y;

export function layOut(type: string, width: number = WIDTH): string {
  let text = "";
  let margin = "";
  /** Of each bracket that is open: whether it has lines. */
  const open: boolean[] = [];
  for (let at = 0; at < type.length; at += 1) {
    LITERAL.lastIndex = at;
    const literal = type[at] === '"' ? LITERAL.exec(type)?.[0] : undefined;
    if (literal !== undefined) {
      text += literal;
      at += literal.length - 1;
    } else if (type.startsWith("{ ", at)) {
      const isLong = endOf(type, at) - at + columnOf(text) > width;
      open.push(isLong);
      if (isLong) margin += "  ";
      text += isLong ? `{\n${margin}` : "{ ";
      at += 1;
    } else if (type.startsWith(" }", at) && open.length > 0) {
      const wasLong = open.pop();
      if (wasLong === true) margin = margin.slice(2);
      text += wasLong === true ? `;\n${margin}}` : " }";
      at += 1;
    } else if (type.startsWith("; ", at) && open.at(-1) === true) {
      text += `;\n${margin}`;
      at += 1;
    } else text += type[at]!;
  }
  return text;
}

function columnOf(text: string): number {
  return text.length - (text.lastIndexOf("\n") + 1);
}

/** Where the brace that opens here is closed. */
function endOf(type: string, from: number): number {
  let depth = 0;
  for (let at = from; at < type.length; at += 1) {
    LITERAL.lastIndex = at;
    const literal = type[at] === '"' ? LITERAL.exec(type)?.[0] : undefined;
    if (literal !== undefined) at += literal.length - 1;
    else if (type[at] === "{") depth += 1;
    else if (type[at] === "}" && --depth === 0) return at;
  }
  return type.length;
}
