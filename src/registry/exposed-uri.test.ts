import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exposeUri, parseExposedUri } from "./exposed-uri.ts";

const id = fc.stringMatching(/^[a-z0-9]{1,8}(_[a-z0-9]{1,8}){0,2}$/);
const piece = fc.constantFrom(
  "ui://",
  "skill://",
  "repertoire://server/",
  "+",
  "/",
  "a",
  "%2F",
  "\n",
  "{x}",
  "UI://",
);
const uri = fc.oneof(
  fc.string({ minLength: 1, unit: "binary" }),
  fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join("")),
  fc
    .tuple(fc.constantFrom("ui://", "skill://", "repertoire://server/"), fc.string())
    .map((parts) => parts.join("")),
);

describe("the URI under which clients see a server's", () => {
  it("T033: leads back to this server and to the same URI, whatever that is", () => {
    fc.assert(
      fc.property(id, uri, (source, given) => {
        expect(parseExposedUri(exposeUri(source, given))).toEqual({ source, uri: given });
      }),
    );
  });

  it("T033: is no other server's, however a server writes its own", () => {
    fc.assert(
      fc.property(id, id, uri, (source, other, given) => {
        fc.pre(source !== other);
        const forged = [exposeUri(other, given), `ui://${other}+x`, `repertoire://server/${other}/x`];
        for (const one of forged) expect(parseExposedUri(exposeUri(source, one))?.source).toBe(source);
      }),
    );
  });

  it("keeps the scheme of pages and skills, which clients know them by", () => {
    expect(exposeUri("s", "ui://clock/page.html")).toBe("ui://s+clock/page.html");
    expect(exposeUri("s", "skill://git/SKILL.md")).toBe("skill://s+/git/SKILL.md");
    expect(exposeUri("s", "ui://")).toBe("repertoire://server/s/ui://");
  });
});
