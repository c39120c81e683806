import { describe, expect, it } from "vitest";
import { withoutFrame } from "./frame.ts";
import { createSearchIndex } from "./search-index.ts";
import { partsOf } from "./search-query.ts";

const compact = (text: string) => text.replaceAll(/\s+/g, " ").trim();

describe("what agents put around a request", () => {
  it.each([
    ["server: weather; tool: get forecast", "weather get forecast"],
    ["MCP server: weather\ntool name: get_forecast", "weather get_forecast"],
    ["tool: get forecast", "get forecast"],
    ["weather server, forecast tool", "weather, forecast"],
    ["weather api", "weather"],
    ["weather MCP server for alerts", "weather for alerts"],
    ["pdf tool to merge files", "pdf to merge files"],
    ["slack server or teams server", "slack or teams"],
  ])("is gone: %j", (query, plain) => {
    expect(compact(withoutFrame(query))).toBe(plain);
  });

  it.each([
    "restart the server",
    "list servers",
    "restart server",
    "start dev server",
    "list all tools",
    "server logs",
    "api key rotation",
    "mcp",
    "tool:",
    "rapid prototyping",
  ])("is not seen in %j", (query) => {
    expect(withoutFrame(query)).toBe(query);
  });

  it("is about one thing until a label comes again", () => {
    const query = "server: weather; tool: get forecast; server: mail; tool: send letter";
    expect(partsOf(query).map(({ text }) => compact(text))).toEqual([
      "weather get forecast",
      "mail send letter",
    ]);
  });
});

describe("alternatives", () => {
  it.each([
    ["grep or ripgrep or code search", ["grep", "ripgrep", "code search"]],
    ["grep, ripgrep, or code search", ["grep", "ripgrep", "code search"]],
    ["read page or open website", ["read page", "open website"]],
    ["delete a file or folder", ["delete a file or folder"]],
    ["convert all addresses or place names to coordinates", undefined],
    ["the weather for today or for all days of that week", undefined],
  ])("%j are %j", (query, parts) => {
    expect(partsOf(query).map(({ text }) => text)).toEqual(parts ?? [query]);
  });

  it("each have their tool near the top, beside one with several of the words", () => {
    const index = createSearchIndex();
    index.put("all", [
      { id: "a", fields: { name: "ripgrep", description: "Looks through lines." } },
      { id: "b", fields: { name: "code_search", description: "Code search of code." } },
      { id: "c", fields: { name: "search_code_reviews", description: "Search the code of reviews." } },
      { id: "d", fields: { name: "code_search_history", description: "Search of earlier code searches." } },
    ]);
    const { hits } = index.search("grep or ripgrep or code search", { limit: 2 });
    expect(hits.map(({ id }) => id).toSorted()).toEqual(["a", "b"]);
  });

  it("of servers and tools put the tool of that server first", () => {
    const index = createSearchIndex();
    index.put("all", [
      { id: "weather__get_forecast", fields: { name: "get_forecast", server: "weather" } },
      {
        id: "admin__get_server_tool",
        fields: {
          name: "get_server_tool",
          server: "admin",
          description: "Gets a tool of a server: server, tool.",
        },
      },
      { id: "sales__get_forecast", fields: { name: "get_forecast", server: "sales" } },
      { id: "weather__get_server", fields: { name: "get_server", server: "weather" } },
    ]);
    for (const query of ["server: weather; tool: get forecast", "weather server, forecast tool"])
      expect(index.search(query, { limit: 1 }).hits[0]!.id).toBe("weather__get_forecast");
  });
});
