/** Sums, differences, products and quotients of decimal numbers, with parentheses; to the cent. */
import { cents, Refusal } from "./records.ts";

const TOKEN = /\s*(\d+(?:\.\d+)?|[-+*/()])/y;

export function calculate(expression: string): string {
  const tokens = tokensOf(expression);
  const value = readSum(tokens);
  if (tokens.length > 0 || !Number.isFinite(value)) throw refusalOf(expression);
  return String(cents(value));
}

function tokensOf(expression: string): string[] {
  const text = expression.trimEnd();
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const found = TOKEN.exec(text);
    if (found === null) throw refusalOf(expression);
    tokens.push(found[1]!);
  }
  return tokens;
}

function readSum(tokens: string[]): number {
  let value = readProduct(tokens);
  while (tokens[0] === "+" || tokens[0] === "-") {
    value += tokens.shift() === "+" ? readProduct(tokens) : -readProduct(tokens);
  }
  return value;
}

function readProduct(tokens: string[]): number {
  let value = readNumber(tokens);
  while (tokens[0] === "*" || tokens[0] === "/") {
    if (tokens.shift() === "*") value *= readNumber(tokens);
    else value /= readNumber(tokens);
  }
  return value;
}

function readNumber(tokens: string[]): number {
  const token = tokens.shift();
  if (token === "-") return -readNumber(tokens);
  if (token !== "(") return Number(token ?? Number.NaN);
  const value = readSum(tokens);
  return tokens.shift() === ")" ? value : Number.NaN;
}

function refusalOf(expression: string): Refusal {
  return new Refusal(`${JSON.stringify(expression)} is not a sum: use numbers, + - * / and parentheses.`);
}
