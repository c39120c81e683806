import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isAppOnly, isForApps, pageOf } from "./app-tool.ts";

const withUi = (ui: unknown, flat?: unknown) => ({ _meta: { ui, "ui/resourceUri": flat } as never });

describe("the page of a tool", () => {
  it.each([
    ["in its place of today", withUi({ resourceUri: "ui://a" }, "ui://b"), "ui://a"],
    ["in the one from before", withUi({ visibility: ["app"] }, "ui://b"), "ui://b"],
    ["not of another scheme", withUi({ resourceUri: "https://a" }), undefined],
    ["not without _meta", {}, undefined],
  ])("is its URI, %s", (_, tool, page) => {
    expect(pageOf(tool)).toBe(page);
  });
});

describe("who may call a tool", () => {
  it.each([
    [undefined, false, true],
    [["model", "app"], false, true],
    [["app"], true, true],
    [["model"], false, false],
    [[], true, false],
    [["other"], true, false],
    ["app", false, true],
  ])("by the visibility %j", (visibility, appOnly, forApps) => {
    const tool = withUi({ visibility });
    expect([isAppOnly(tool), isForApps(tool)]).toEqual([appOnly, forApps]);
  });
});

it("whatever a server writes there, nothing throws and a tool without a clear word is for all", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (ui, flat) => {
      for (const tool of [withUi(ui, flat), { _meta: ui as never }]) {
        const page = pageOf(tool);
        expect(page === undefined || page.startsWith("ui://")).toBe(true);
        expect(typeof isAppOnly(tool)).toBe("boolean");
        expect(typeof isForApps(tool)).toBe("boolean");
      }
    }),
  );
});
