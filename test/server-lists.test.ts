/** What a server lists badly, behind the bundle that users get, before the clients of both generations of the SDK. */
import { describe, expect, it } from "vitest";
import { configOf, connectClient, GENERATIONS, wayTo } from "./rig/edge-client.ts";
import type { EvilScript } from "./rig/evil-script.ts";
import { openHttpGateway } from "./rig/http-gateway.ts";
import {
  ODD_PROMPT_LIST,
  ODD_PROMPTS,
  ODD_RESOURCE_LIST,
  ODD_RESOURCES,
  ODD_TOOL_LIST,
  ODD_TOOLS,
  type EntryFate,
} from "./rig/malformed.ts";

const BAD_LISTS: EvilScript = {
  capabilities: { tools: {}, resources: {}, prompts: {} },
  tools: ODD_TOOL_LIST,
  rules: [
    { method: "resources/list", result: { resources: ODD_RESOURCE_LIST } },
    { method: "prompts/list", result: { prompts: ODD_PROMPT_LIST } },
    {
      method: "resources/templates/list",
      result: { resourceTemplates: [{ name: "t", uriTemplate: "odd:///{a}", icons: 5 }, null] },
    },
  ],
};

function expectFates(
  listed: readonly { readonly name: string }[],
  fates: Readonly<Record<string, readonly [unknown, EntryFate]>>,
  nameOf: (name: string) => string,
): void {
  const entries = new Map(listed.map((entry) => [entry.name, entry as Record<string, unknown>]));
  for (const [name, [given, fate]] of Object.entries(fates)) {
    const entry = entries.get(nameOf(name));
    if (fate === "left out") {
      expect({ name, entry }).toEqual({ name, entry: undefined });
      continue;
    }
    expect({ name, isThere: entry !== undefined }).toEqual({ name, isThere: true });
    for (const field of fate)
      expect({ name, field, value: entry![field] }).toEqual({ name, field, value: undefined });
    const kept = Object.keys(given as object).filter((field) => !fate.includes(field));
    expect(Object.keys(entry!)).toEqual(expect.arrayContaining(kept));
  }
}

const inGateway = (name: string) => `odd__${name}`;

describe("B2: malformed entries of one server", () => {
  it.each(GENERATIONS)(
    "cost themselves or a field, through the gateway, for the %s client",
    async (generation) => {
      const client = await connectClient(generation, wayTo({ odd: BAD_LISTS }, { exposure: "full" }));
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(
        expect.arrayContaining(["execute", "fine__echo", "fine__add"]),
      );
      expectFates(tools, ODD_TOOLS, inGateway);
      expectFates((await client.listResources()).resources, ODD_RESOURCES, (name) => name);
      expectFates((await client.listPrompts()).prompts, ODD_PROMPTS, inGateway);
      expect(await client.call("fine__echo", { text: "hi" })).toMatchObject({ content: [{ text: "hi" }] });
      expect(await client.call("odd__icons_text")).toMatchObject({
        content: [{ text: "icons_text did {}" }],
      });
    },
  );

  it("are beside the meta-tools in a default gateway that has searched", async () => {
    const client = await connectClient("first", wayTo({ odd: BAD_LISTS }));
    await client.call("browse_components", { query: "echo" });
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["browse_components", "execute"]));
  });

  it.each(GENERATIONS)("cost the same in a transparent profile, for the %s client", async (generation) => {
    const profiles = { only: { transparent: "odd" } };
    const client = await connectClient(
      generation,
      wayTo({ odd: BAD_LISTS }, { profiles }, "--profile", "only"),
    );
    expectFates((await client.listTools()).tools, ODD_TOOLS, (name) => name);
    expectFates((await client.listResources()).resources, ODD_RESOURCES, (name) => name);
    expectFates((await client.listPrompts()).prompts, ODD_PROMPTS, (name) => name);
  });

  it.each(GENERATIONS)("cost the same over HTTP, for the %s client", async (generation) => {
    const gateway = await openHttpGateway({ config: configOf({ odd: BAD_LISTS }, { exposure: "full" }) });
    const client = await connectClient(generation, gateway.url, gateway.headers);
    const { tools } = await client.listTools();
    expectFates(tools, ODD_TOOLS, inGateway);
    expect(tools.map(({ name }) => name)).toContain("fine__echo");
  });
});
