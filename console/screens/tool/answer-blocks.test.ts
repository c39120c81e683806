import { describe, expect, it } from "vitest";
import { blocksOf, IMAGE_BYTES_MAX, repeats } from "./answer-blocks.ts";

const one = (content: Record<string, unknown>) => blocksOf([content])[0]!;

describe("the content of an answer", () => {
  it("is text, or JSON where the text is JSON", () => {
    expect(one({ type: "text", text: "hello {" })).toEqual({ kind: "text", text: "hello {" });
    expect(one({ type: "text", text: ' {"a":1}' })).toEqual({ kind: "json", value: { a: 1 } });
    expect(one({ type: "text", text: "{not json" })).toEqual({ kind: "text", text: "{not json" });
    expect(one({ type: "text", text: "12" })).toEqual({ kind: "text", text: "12" });
  });

  it("is an image only of types that a browser draws and cannot run", () => {
    expect(one({ type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" })).toMatchObject({
      kind: "image",
      url: "data:image/png;base64,iVBORw0KGgo=",
    });
    expect(one({ type: "image", mimeType: "image/svg+xml", data: "iVBORw0KGgo=" }).kind).toBe("other");
    expect(one({ type: "image", mimeType: "image/png", data: '"><script>' }).kind).toBe("other");
    expect(one({ type: "image", mimeType: "image/png;x", data: "aaaa" }).kind).toBe("other");
  });

  it("is no image above two megabytes, and its data is not shown either", () => {
    const block = one({ type: "image", mimeType: "image/png", data: "A".repeat(IMAGE_BYTES_MAX * 2) });
    expect(block).toMatchObject({
      kind: "other",
      value: { data: expect.stringMatching(/^\(\d+ characters\)$/) },
    });
  });

  it("is shown as it is where the type is unknown", () => {
    expect(one({ type: "resource_link", uri: "file:///a" })).toMatchObject({
      kind: "other",
      type: "resource_link",
    });
    expect(one({})).toMatchObject({ kind: "other", type: "unknown" });
  });

  it("repeats the structured answer, or not", () => {
    expect(repeats({ kind: "json", value: { a: 1 } }, { a: 1 })).toBe(true);
    expect(repeats({ kind: "json", value: { a: 1 } }, { a: 2 })).toBe(false);
    expect(repeats({ kind: "text", text: "a" }, undefined)).toBe(false);
  });
});
