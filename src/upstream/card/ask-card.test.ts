import { describe, expect, it } from "vitest";
import { listen } from "../../net/listen.testkit.ts";
import { askCard } from "./ask-card.ts";

const TYPE = "application/mcp-server-card+json";
const CARD = {
  $schema: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
  name: "com.example/weather",
  version: "1.2.0",
  title: "Weather",
  description: "Tells the weather.",
};

async function serve(
  body: unknown,
  { status = 200, headers = {} }: { status?: number; headers?: object } = {},
) {
  const server = await listen((response) => {
    response.writeHead(status, { "Content-Type": TYPE, ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  });
  return { ...server, endpoint: new URL(`${server.origin}/mcp?tenant=a#x`) };
}

describe("the card of a server", () => {
  it("is asked for below the path of the endpoint, with nothing of the user's", async () => {
    const { endpoint, seen, origin } = await serve({
      ...CARD,
      remotes: [
        {
          type: "streamable-http",
          url: "https://api.example/mcp",
          headers: [{ name: "Authorization", isRequired: true }, { name: "X-Other" }],
        },
        { type: "sse", url: "https://api.example/sse" },
      ],
    });
    expect(await askCard(endpoint)).toEqual({
      kind: "card",
      card: {
        name: "com.example/weather",
        version: "1.2.0",
        title: "Weather",
        description: "Tells the weather.",
        endpoints: [
          { type: "http", url: new URL("https://api.example/mcp"), headers: ["Authorization"] },
          { type: "sse", url: new URL("https://api.example/sse"), headers: [] },
        ],
      },
    });
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual(["GET /mcp/server-card"]);
    expect(Object.keys(seen[0]!.headers).sort()).toEqual(["accept", "connection", "host"]);
    await askCard(new URL(`${origin}/mcp/`));
    expect(seen[1]!.url).toBe("/mcp/server-card");
  });

  it.each([
    ["404", CARD, { status: 404 }],
    ["401", CARD, { status: 401 }],
    ["a page", "<html>", { headers: { "Content-Type": "text/html" } }],
    ["JSON of something else", { hello: 1 }, { headers: { "Content-Type": "application/json" } }],
  ])("is not there where the answer is %s", async (_, body, how) => {
    expect(await askCard((await serve(body, how)).endpoint)).toEqual({ kind: "none" });
  });

  it.each([
    ["10 MB", JSON.stringify({ ...CARD, x: "x".repeat(10 * 1024 * 1024) })],
    ["a depth without end", `{"name": ${"[".repeat(30_000)}`],
    ["no JSON", "{"],
    ["a list", []],
    ["null", null],
    ["a name of another kind", { ...CARD, name: 5 }],
    ["a name that is a path", { ...CARD, name: "../../etc/passwd" }],
    ["no name", { ...CARD, name: "__proto__" }],
    ["a version of another kind", { ...CARD, version: ["1"] }],
    ["a description of another kind", { ...CARD, description: { a: 1 } }],
  ])("is not used with %s", async (_, body) => {
    expect(await askCard((await serve(body)).endpoint)).toMatchObject({ kind: "unusable" });
  });

  it("shows what would not show, and cuts what is long", async () => {
    const description = `a\u001b[31m\u202Eb\n${"x".repeat(5_000)}`;
    const { endpoint } = await serve({ ...CARD, title: "A\u200BB", description });
    const answer = await askCard(endpoint);
    if (answer.kind !== "card") throw new Error(answer.kind);
    expect(answer.card.title).toBe("A\\u{200b}B");
    expect(answer.card.description).not.toMatch(/[\u001b\u202E\n]/u);
    expect(answer.card.description.length).toBeLessThan(400);
  });

  it.each([
    [5],
    [{}],
    [[null, 5, [], "x"]],
    [
      [
        { type: "streamable-http" },
        { type: "streamable-http", url: 5 },
        { type: "stdio", url: "https://x.example" },
      ],
    ],
    [
      [
        "file:///etc/passwd",
        "javascript:alert(1)",
        "https://u:p@x.example/",
        "https://{tenant}.example/mcp",
        "x",
      ].map((url) => ({ type: "streamable-http", url })),
    ],
  ])("has no endpoint in %j", async (remotes) => {
    expect(await askCard((await serve({ ...CARD, remotes })).endpoint)).toMatchObject({
      card: { endpoints: [] },
    });
  });

  it("is waited for as long as a person waits, and an endless stream is cut", async () => {
    const silent = await listen(() => {});
    expect(await askCard(new URL(`${silent.origin}/mcp`), 50)).toMatchObject({ kind: "unusable" });
    const endless = await listen((response) => {
      response.writeHead(200, { "Content-Type": TYPE });
      const more = (): boolean => response.destroyed || response.write(" ".repeat(65_536), () => more());
      more();
    });
    expect(await askCard(new URL(`${endless.origin}/mcp`))).toMatchObject({ kind: "unusable" });
  });

  it("T085: leads to no address that the endpoint could not lead to, and in no circle", async () => {
    const metadata = await serve("", { status: 302, headers: { Location: "http://169.254.169.254/card" } });
    expect(await askCard(metadata.endpoint)).toMatchObject({ kind: "unusable" });
    const file = await serve("", { status: 302, headers: { Location: "file:///etc/passwd" } });
    expect(await askCard(file.endpoint)).toMatchObject({ kind: "unusable" });
    const circle = await serve("", { status: 307, headers: { Location: "/mcp/server-card" } });
    expect(await askCard(circle.endpoint)).toMatchObject({ kind: "unusable" });
    expect(circle.seen.length).toBeLessThan(6);
  });

  it("is not used where nothing answers", async () => {
    const { origin } = await listen((response) => response.socket?.destroy());
    expect(await askCard(new URL(origin))).toMatchObject({ kind: "unusable" });
  });
});
