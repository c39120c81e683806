import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const css = readFileSync(join(import.meta.dirname, "theme.css"), "utf8");
const tokens = new Map(
  [...css.matchAll(/--color-([\w-]+): (?:light-dark\((#\w{6}), (#\w{6})\)|(#\w{6}));/g)].map(
    ([, name, light, dark, both]) => [name!, { light: light ?? both!, dark: dark ?? both! }],
  ),
);

function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].toSorted((left, right) => left - right);
  return (light! + 0.05) / (dark! + 0.05);
}

const SURFACES = ["bg", "sunken", "raised", "hover", "active", "selected", "code-bg"];
const STATES = ["ok", "fail", "wait", "run", "idle"];

/** Every text on every surface that it is drawn on. */
const pairs = [
  ...["text", "muted", "faint", "accent"].flatMap((text) => SURFACES.map((surface) => [text, surface])),
  ...STATES.flatMap((state) => [...SURFACES, `${state}-bg`].map((surface) => [state, surface])),
  ...["ok-bg", "fail-bg"].flatMap((surface) => ["text", "muted", "faint"].map((text) => [text, surface])),
  ...["keyword", "string", "number", "name", "comment"].map((part) => [`code-${part}`, "code-bg"]),
  ["on-accent", "accent-fill"],
  ["on-accent", "accent-fill-hover"],
];

it("reads the tokens", () => expect(tokens.size).toBeGreaterThan(35));

it.each(["light", "dark"] as const)("has a contrast of 4.5 for every text in %s", (theme) => {
  const low = pairs
    .map(([text, surface]) => ({
      pair: `${text} on ${surface}`,
      is: contrast(tokens.get(text!)![theme], tokens.get(surface!)![theme]),
    }))
    .filter(({ is }) => is < 4.5)
    .map(({ pair, is }) => `${pair}: ${is.toFixed(2)}`);
  expect(low).toEqual([]);
});

it.each(["light", "dark"] as const)(
  "has a contrast of 3 for borders of fields, the ring of the focus and bars in %s",
  (theme) => {
    const low = [
      "field",
      "accent",
      ...STATES.filter((state) => state !== "idle" && state !== "wait").map((state) => `${state}-fill`),
    ]
      .map((token) => ({ token, is: contrast(tokens.get(token)![theme], tokens.get("bg")![theme]) }))
      .filter(({ is }) => is < 3)
      .map(({ token, is }) => `${token}: ${is.toFixed(2)}`);
    expect(low).toEqual([]);
  },
);
