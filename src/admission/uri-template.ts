/**
 * What a template may not have outside of an expression: spaces, controls and the characters that RFC 6570 leaves out.
 */
const LITERAL_REFUSED = /[\u0000-\u0020"<>\\^`{|}\u007f]/;
const OPERATORS = "+#./;?&";
const VARIABLE =
  /^(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})+(?:\.(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})+)*(?::[1-9][0-9]{0,3}|\*)?$/;

/** Says why a text is not a template of RFC 6570. Every character is looked at a bounded number of times. */
export function findTemplateProblem(template: string): string | undefined {
  let at = 0;
  while (at < template.length) {
    const open = template.indexOf("{", at);
    const literal = open === -1 ? template.slice(at) : template.slice(at, open);
    if (LITERAL_REFUSED.test(literal)) return `has a character that no URI has near position ${at}`;
    if (open === -1) return undefined;
    const close = template.indexOf("}", open);
    if (close === -1) return `has a "{" without its "}" at position ${open}`;
    if (!isExpression(template.slice(open + 1, close))) return `has no valid expression at position ${open}`;
    at = close + 1;
  }
  return undefined;
}

function isExpression(text: string): boolean {
  const variables = text !== "" && OPERATORS.includes(text[0]!) ? text.slice(1) : text;
  return variables.split(",").every((variable) => VARIABLE.test(variable));
}
