import { expect, it } from "vitest";
import type { CardAnswer } from "../../app/app.ts";
import { describeByCard } from "./carded-server.ts";

const GIVEN = "https://api.example/mcp";

function cardOf(endpoints: readonly string[], name = "com.example/weather"): CardAnswer {
  const card = { name, version: "1.0.0", description: "Tells the weather." };
  return {
    kind: "card",
    card: {
      ...card,
      endpoints: endpoints.map((url) => ({ type: "http", url: new URL(url), headers: ["X-Key"] })),
    },
  };
}

const described = (answer: CardAnswer) => describeByCard(GIVEN, async () => answer);

it("is called as its card says, and the endpoint of its own origin is used", async () => {
  expect(await described(cardOf(["https://other.example/mcp", "https://api.example/v2/mcp"]))).toEqual({
    key: "weather",
    entry: { type: "http", url: "https://api.example/v2/mcp" },
    said: [
      "com.example/weather 1.0.0: Tells the weather.",
      "It needs X-Key: give it with --header, or log in",
    ],
    warnings: [],
  });
  expect((await described(cardOf([GIVEN, "https://api.example/v2"]))).entry.url).toBe(GIVEN);
});

it.each([
  "https://evil.example/mcp",
  "http://api.example/mcp",
  "https://api.example:8443/mcp",
  "http://127.0.0.1/mcp",
])("T085: keeps the address that was given where the card names %s alone, and says so", async (url) => {
  const { entry, warnings } = await described(cardOf([url]));
  expect(entry).toEqual({ type: "http", url: GIVEN });
  expect(warnings.join()).toContain(new URL(url).origin);
});

it.each(["com.example/mcp", "com.example/constructor", "com.example/---", `com.example/${"a".repeat(60)}`])(
  "T025: is called after its address where %s has no name of a server",
  async (name) => {
    const { key } = await described(cardOf([], name));
    expect(key).toBe((await described({ kind: "none" })).key);
  },
);

it("is added as it was given where there is no card, or none that can be used", async () => {
  expect(await described({ kind: "none" })).toMatchObject({ entry: { url: GIVEN }, said: [], warnings: [] });
  const { entry, warnings } = await described({ kind: "unusable", reason: "it is too large" });
  expect([entry.url, warnings]).toEqual([GIVEN, ["its server card was not used: it is too large"]]);
});
