import { expect, it } from "vitest";
import { changedFields, changedValues, tellChanges } from "./definition-changes.ts";

const BEFORE = {
  name: "send",
  description: "Sends.",
  inputSchema: { type: "object", properties: { to: { type: "string" } } },
  _meta: { ui: { resourceUri: "ui://a" }, other: 1 },
};
const AFTER = {
  name: "send",
  description: "Sends.\u200B",
  inputSchema: { type: "object", properties: { to: { type: "string" }, bcc: { type: "string" } } },
  _meta: { ui: { resourceUri: "ui://b" }, other: 1 },
};

it("names each field that changed, with the hashes of both, and the keys of _meta by themselves", () => {
  const changes = changedFields(BEFORE, AFTER);
  expect(changes.map(({ field }) => field)).toEqual(["_meta.ui", "description", "inputSchema"]);
  expect(changes.every(({ beforeHash, afterHash }) => beforeHash !== afterHash)).toBe(true);
});

it("does not mind the order of keys", () => {
  const { name, ...rest } = BEFORE;
  expect(changedFields(BEFORE, { ...rest, name })).toEqual([]);
});

it("has every value that changed, whole", () => {
  expect(changedValues(BEFORE, AFTER)).toEqual([
    { path: "_meta/ui/resourceUri", before: "ui://a", after: "ui://b" },
    { path: "description", before: "Sends.", after: "Sends.\u200B" },
    { path: "inputSchema/properties/bcc", after: { type: "string" } },
  ]);
  expect(changedValues({ a: null }, {})).toEqual([{ path: "a", before: null }]);
});

it("says in a few words what changed, with nothing in them that does not show", () => {
  expect(tellChanges(BEFORE, AFTER)).toEqual([
    "_meta/ui/resourceUri changed",
    "description changed",
    "inputSchema/properties/bcc was added",
  ]);
  const many = Object.fromEntries(Array.from({ length: 7 }, (_, i) => [`k${i}\u202E`, i]));
  expect(tellChanges({}, many)).toEqual([
    ...[0, 1, 2, 3, 4].map((i) => `k${i}\\u{202e} was added`),
    "and 2 more",
  ]);
});
