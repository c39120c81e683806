/** The search of the registry and the meta-tool above it, with a real endpoint. */
import { expect, it, onTestFinished } from "vitest";
import { contextOf, createFixtureSource, toolOf } from "../../../test/fixtures/tool-source.ts";
import { DEFAULT_SCOPE } from "../../core/names.ts";
import { createBrowseComponents } from "../../gateway/meta-tools/browse-components.ts";
import { createProfileView } from "../../gateway/profiles/profile-view.ts";
import { createLibrary } from "../../library/library.ts";
import { createRegistry } from "../../registry/registry.ts";
import { createTestTime } from "../../registry/time.testkit.ts";
import { openTestStore, testHome } from "../../store/sqlite/temp-home.testkit.ts";
import { createEmbeddings, QUERY_MS_MAX } from "./embeddings.ts";
import { createHeardLog, openEndpoint, watchStore } from "./endpoint.testkit.ts";

async function openRig() {
  const endpoint = await openEndpoint();
  const time = createTestTime();
  const log = createHeardLog();
  const store = await openTestStore(testHome());
  const kept = watchStore(store.embeddings);
  const embeddings = createEmbeddings({
    endpoint: () => ({ url: endpoint.url, model: "small" }),
    store: kept,
    log,
    after: time.after,
    clock: time.clock,
    version: "0",
  });
  const garage = createFixtureSource("garage", [
    toolOf("book_car", "Books a car.", { day: { type: "string", description: "Not sent." } }),
    toolOf("wash", "Washes what is dirty."),
  ]);
  const registry = createRegistry({
    meanings: embeddings,
    experienceOf: () => ({ intents: ["a secret plan"], useCount: 1 }),
  });
  registry.add(garage);
  onTestFinished(async () => {
    await registry.close();
    await embeddings.close();
  });
  const browse = createBrowseComponents({
    registry,
    library: createLibrary(store.capabilities, () => DEFAULT_SCOPE),
    runs: { nodeTypes: [] },
    freshenLibrary: async () => {},
    servers: () => ["garage"],
  });
  async function search(query: string, hidden?: string): Promise<string[]> {
    const view = hidden === undefined ? {} : { view: createProfileView("p", { tools: { deny: [hidden] } }) };
    const answer = await browse.call({ query }, { ...contextOf(), ...view });
    if (!answer.success) throw new Error(answer.error.message);
    return (answer.data["nodes"] as { type: string }[]).map(({ type }) => type);
  }
  return { endpoint, time, log, kept, registry, garage, search };
}

it("finds a tool by a query that has none of its words", async () => {
  const { kept, search, endpoint } = await openRig();
  // Nobody has listed the tools yet, and so nobody has embedded them.
  expect(await search("limousine")).toEqual([]);
  await kept.wrote(2);
  expect(await search("limousine")).toEqual(["garage__book_car"]);
  expect(await search("charter a limousine")).toEqual(["garage__book_car"]);
  expect(await search("")).toHaveLength(2);
  expect(
    endpoint
      .texts()
      .filter((text) => text.includes("\n"))
      .sort(),
  ).toEqual(["book_car\ngarage\nBooks a car.\nday", "wash\ngarage\nWashes what is dirty."]);
});

it("says nothing to the endpoint but tools and queries", async () => {
  const { kept, search, endpoint } = await openRig();
  await search("limousine");
  await kept.wrote(2);
  const said = JSON.stringify(endpoint.requests);
  expect(said).not.toContain("a secret plan");
  expect(said).not.toContain("Not sent");
});

it("shows a profile nothing that it hides, however near it is", async () => {
  const { kept, search } = await openRig();
  await search("limousine");
  await kept.wrote(2);
  expect(await search("limousine", "garage__book_car")).toEqual([]);
  expect(await search("limousine", "garage__wash")).toEqual(["garage__book_car"]);
});

it("goes by words alone when the endpoint is slow, after a quarter of a second", async () => {
  const { endpoint, time, search } = await openRig();
  endpoint.answer = () => new Promise(() => {});
  const first = search("wash");
  await endpoint.asked(1);
  await time.advance(QUERY_MS_MAX);
  expect(await first).toEqual(["garage__wash"]);
});

it("embeds a tool anew when its server describes it otherwise", async () => {
  const { endpoint, garage, kept, registry, search } = await openRig();
  await search("car");
  await kept.wrote(2);
  garage.tools = [toolOf("book_car", "Books a ship."), garage.tools[1]!];
  await registry.refresh("garage", contextOf());
  await search("car");
  await kept.wrote(3);
  const tools = endpoint.texts().filter((text) => text.includes("\n"));
  expect(tools.slice(2)).toEqual(["book_car\ngarage\nBooks a ship."]);
});
