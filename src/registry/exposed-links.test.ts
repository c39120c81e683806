import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  contextOf,
  createFixtureSource,
  toolOf,
  type FixtureSource,
} from "../../test/fixtures/tool-source.ts";
import type { JsonObject } from "../core/json.ts";
import { succeed } from "../core/result.ts";
import { RPC_ERROR, type Offer, type ToolAnswer } from "../core/tool.ts";
import { parseExposedUri } from "./exposed-uri.ts";
import { createRegistry } from "./registry.ts";

const LISTED: Offer = {
  tools: [toolOf("look")],
  resources: [{ uri: "https://docs.example/listed", name: "listed" }],
  resourceTemplates: [{ uriTemplate: "https://docs.example/by/{id}", name: "by" }],
};

/** A server whose tool answers with this. */
function serverOf(id: string, answer: () => unknown): FixtureSource {
  const source = createFixtureSource(id, []);
  source.onList = async () => succeed(LISTED);
  return Object.assign(source, { call: async () => succeed(answer() as ToolAnswer) });
}

async function open(answer: () => unknown = () => ({ content: [] }), options: { isOwn?: boolean } = {}) {
  const registry = createRegistry();
  registry.add(serverOf("s", answer), options);
  await registry.discover({ waitMs: 1000 }, contextOf());
  return registry;
}

async function answered(answer: unknown, options: { isOwn?: boolean } = {}): Promise<ToolAnswer> {
  const result = await (await open(() => answer, options)).call("s__look", {}, contextOf());
  return (result as { readonly data: ToolAnswer }).data;
}

const link = (uri: unknown) => ({ type: "resource_link", name: "it", uri });
const embedded = (uri: unknown) => ({ type: "resource", resource: { uri, text: "x" } });

describe("the links in a tool's answer", () => {
  it("are URIs that the same client can read, beside what is none", async () => {
    const text = { type: "text", text: "see file:///a" };
    const answer = await answered({
      content: [text, link("file:///a"), embedded("memo://b"), link("ui://c/d")],
    });
    expect(answer.content).toEqual([
      text,
      link("repertoire://server/s/file:///a"),
      embedded("repertoire://server/s/memo://b"),
      link("ui://s+c/d"),
    ]);
    expect(answer.content[0]).toBe(text);
  });

  it("T033: lead to the server that gave them, also where it writes another's or ours", async () => {
    const uris = [
      "repertoire://server/bank/x:y",
      "repertoire://library/math/sum",
      "repertoire://runs/1",
      "ui://bank+x",
    ];
    const { content } = await answered({ content: uris.map(link) });
    const found = content.map((block) => parseExposedUri(block["uri"] as string));
    expect(found).toEqual(uris.map((uri) => ({ source: "s", uri })));
  });

  it("stay where a client fetches them itself: on the web, and not listed by the server", async () => {
    const uris = [
      "https://elsewhere.example/",
      "HTTP://elsewhere.example/",
      "https://docs.example/listed",
      "https://docs.example/by/7",
    ];
    const { content } = await answered({ content: uris.map(link) });
    expect(content.map((block) => block["uri"])).toEqual([
      "https://elsewhere.example/",
      "HTTP://elsewhere.example/",
      "repertoire://server/s/https://docs.example/listed",
      "https://docs.example/by/7",
    ]);
  });

  it("are not looked for in anything else: an answer without any is the very same object", async () => {
    const given = {
      content: [{ type: "text", text: "x", uri: "file:///a" }],
      structuredContent: { type: "resource_link", uri: "file:///b" },
      _meta: { uri: "file:///c" },
    };
    expect(await answered(given)).toBe(given);
  });

  it("of a source of our own stay as they are", async () => {
    const given = { content: [link("file:///a")] };
    expect(await answered(given, { isOwn: true })).toBe(given);
  });

  it("leave the rest of an answer as it was, an error of the protocol too", async () => {
    const refusal = { code: -32000, message: "no" };
    const given = { content: [link("a:b")], isError: true, [RPC_ERROR]: refusal, extra: 1 };
    expect(await answered(given)).toEqual({ ...given, content: [link("repertoire://server/s/a:b")] });
  });

  it("pass whatever has another shape", async () => {
    const odd = fc.oneof(
      fc.jsonValue(),
      fc.jsonValue().map(link),
      fc.jsonValue().map(embedded),
      fc.constant(embedded("")),
    );
    const registry = await open();
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.array(odd)), (content) => {
        const given = { content } as unknown as JsonObject;
        const seen = registry.links.answer("s", given as never);
        expect(withoutUris(seen)).toEqual(withoutUris(given));
        registry.links.prompt("s", { messages: content } as JsonObject);
        registry.links.contents("s", { contents: content } as JsonObject, { asked: "a", uri: "b" });
        registry.links.tool("s", { ...toolOf("t"), _meta: content } as never);
      }),
    );
  });
});

/** Every text that could be a URI is left out. */
function withoutUris(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, inner: unknown) => (key === "uri" ? null : inner)));
}

describe("the links in other answers", () => {
  it("of a prompt are exposed, in one block and in a list of them", async () => {
    const { links } = await open();
    const messages = [
      { role: "user", content: link("a:b") },
      { role: "user", content: [embedded("a:c"), { type: "text", text: "x" }] },
      { role: "user", content: { type: "text", text: "x" } },
    ];
    expect(links.prompt("s", { messages } as unknown as JsonObject)).toEqual({
      messages: [
        { role: "user", content: link("repertoire://server/s/a:b") },
        { role: "user", content: [embedded("repertoire://server/s/a:c"), { type: "text", text: "x" }] },
        messages[2],
      ],
    });
    const plain = { messages: [messages[2]!] } as unknown as JsonObject;
    expect(links.prompt("s", plain)).toBe(plain);
  });

  it("of a read are exposed, and what was asked for keeps the URI by which it was", async () => {
    const { links } = await open();
    const contents = [{ uri: "dir://a" }, { uri: "dir://a/b" }, { uri: 7 }, null];
    expect(links.contents("s", { contents }, { asked: "dir://a", uri: "dir://a" })).toEqual({
      contents: [{ uri: "dir://a" }, { uri: "repertoire://server/s/dir://a/b" }, { uri: 7 }, null],
    });
  });

  it("of a tool are its page, in both places; the rest of _meta stays", async () => {
    const { links } = await open();
    const ui = {
      resourceUri: "ui://clock/page",
      visibility: ["model"],
      csp: { connectDomains: ["https://a"] },
    };
    const tool = { ...toolOf("clock"), _meta: { ui, "ui/resourceUri": "ui://clock/old", other: 1 } };
    expect(links.tool("s", tool as never)).toEqual({
      ...tool,
      _meta: {
        ui: { ...ui, resourceUri: "ui://s+clock/page" },
        "ui/resourceUri": "ui://s+clock/old",
        other: 1,
      },
    });
    const plain = { ...toolOf("t"), _meta: { ui: { visibility: ["app"] } } };
    expect(links.tool("s", plain as never)).toBe(plain);
  });
});
