import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually, temporaryFolder } from "../../test/fixtures/temporary.ts";
import type { JsonObject } from "../core/json.ts";
import type { CallContext } from "../core/tool.ts";
import { listen } from "../net/listen.testkit.ts";
import { describeToolSource } from "../registry/tool-source.testsuite.ts";
import { createDescriptionReader } from "./description-reader.ts";
import { createOpenApiSource, type OpenApiConfig } from "./openapi-source.ts";

const contextOf = (more: Partial<CallContext> = {}): CallContext => ({
  traceId: "t",
  signal: new AbortController().signal,
  ...more,
});

const DESCRIPTION = {
  openapi: "3.1.0",
  info: { title: "Things", version: "2" },
  components: { securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Key" } } },
  paths: {
    "/things": {
      get: { operationId: "list", parameters: [{ name: "text", in: "query", schema: {} }] },
      post: { operationId: "make", requestBody: { content: { "application/json": {} } } },
    },
    "/things/{id}": { delete: { operationId: "remove" } },
    "/locked": { get: { operationId: "locked", security: [{ key: [] }] } },
    "/elsewhere": { get: { operationId: "elsewhere", servers: [{ url: "http://127.0.0.2:9" }] } },
  },
};

type Answer = Parameters<typeof listen>[0];

/** An API on the loopback, with its description in a file or at an address. */
async function openApi(answer: Answer, more: Partial<OpenApiConfig> = {}, description: object = DESCRIPTION) {
  const api = await listen(answer);
  const file = join(temporaryFolder(), "api.json");
  const write = (text: object | string) =>
    writeFileSync(file, typeof text === "string" ? text : JSON.stringify(text));
  write({ servers: [{ url: `${api.origin}/v1` }], ...description });
  const config = { id: "things", location: file, headers: {}, auth: {}, callTimeoutMs: 5_000, ...more };
  const source = createOpenApiSource(config, { reader: createDescriptionReader(), version: "1.2.3" });
  onTestFinished(() => source.close());
  return {
    source,
    api,
    write,
    file,
    call: (name: string, args: JsonObject = {}, context = contextOf()) => source.call(name, args, context),
  };
}

const json: Answer = (response) =>
  response.writeHead(200, { "content-type": "application/json" }).end('{"a": [1, 2]}');

describeToolSource("an API", async () => {
  let hanging = 0;
  const { source, write, api } = await openApi((response, { url, method }) => {
    if (url.includes("text=hang")) hanging++;
    else json(response, { url, method, headers: {}, body: "" });
  });
  let count = 0;
  return {
    source,
    works: { tool: "list", args: {} },
    hangs: { tool: "list", args: { text: "hang" }, hasBegun: () => hanging > 0 },
    async change() {
      const path = { get: { operationId: `new${++count}` } };
      write({
        ...DESCRIPTION,
        servers: [{ url: `${api.origin}/v1` }],
        paths: { ...DESCRIPTION.paths, [`/n${count}`]: path },
      });
      await source.call("list", {}, contextOf());
    },
  };
});

describe("a call", () => {
  it("is one request, which says who sends it", async () => {
    const { api, call } = await openApi(json, { headers: { "X-Own": "1" } });
    const meta = { "repertoire/idempotencyKey": "step-1" };
    expect(await call("make", { body: { name: "x" } }, contextOf({ meta }))).toEqual({
      success: true,
      data: { content: [{ type: "text", text: '{"a":[1,2]}' }], structuredContent: { a: [1, 2] } },
    });
    expect(api.seen).toMatchObject([
      {
        method: "POST",
        url: "/v1/things",
        body: '{"name":"x"}',
        headers: {
          "user-agent": "repertoire/1.2.3",
          "content-type": "application/json",
          "x-own": "1",
          "idempotency-key": "step-1",
        },
      },
    ]);
  });

  it.each<[string, string, object]>([
    ["application/json", "[1, 2]", { content: [{ type: "text", text: "[1,2]" }] }],
    ["application/vnd.x+json; charset=utf-8", '{"b":1}', { structuredContent: { b: 1 } }],
    ["application/json", "<html>", { content: [{ type: "text", text: "<html>" }] }],
    ["text/html", "<p>", { content: [{ type: "text", text: "<p>" }] }],
    ["image/png", "bytes", { content: [{ type: "image", data: "Ynl0ZXM=", mimeType: "image/png" }] }],
    ["audio/ogg", "bytes", { content: [{ type: "audio", data: "Ynl0ZXM=", mimeType: "audio/ogg" }] }],
    [
      "application/zip",
      "bytes",
      { content: [{ type: "resource", resource: { mimeType: "application/zip", blob: "Ynl0ZXM=" } }] },
    ],
    ["application/json", "", { content: [] }],
  ])("answers %s of %j", async (type, body, data) => {
    const { call } = await openApi((response) => response.writeHead(200, { "content-type": type }).end(body));
    expect(await call("list")).toMatchObject({ success: true, data });
  });

  it("answers nothing with nothing", async () => {
    const { call } = await openApi((response) => response.writeHead(204).end());
    expect(await call("remove", { id: "1" })).toEqual({ success: true, data: { content: [] } });
  });

  it("gives the API's own words for its own failure", async () => {
    const { call } = await openApi((response) =>
      response
        .writeHead(422, "No Thing", { "content-type": "application/problem+json" })
        .end(`{"detail": "${"x".repeat(9000)}"}`),
    );
    const answer = await call("list");
    expect(answer).toMatchObject({ success: true, data: { isError: true } });
    const [block] = answer.success ? answer.data.content : [];
    const text = block!["text"] as string;
    expect(text).toMatch(/^HTTP 422 No Thing: \{"detail":"x+…$/);
    expect(text.length).toBeLessThan(4_100);
  });

  it.each([
    [429, "RATE_LIMITED"],
    [503, "TOOL_UNAVAILABLE"],
  ])("T088: that is too much now (%i) says when to come again", async (status, code) => {
    const { call, api } = await openApi((response) =>
      response.writeHead(status, { "retry-after": "7" }).end("later"),
    );
    expect(await call("make", { body: 1 })).toMatchObject({
      success: false,
      error: { code, retryable: true, retryAfterMs: 7_000, reason: "busy" },
    });
    expect(api.seen).toHaveLength(1);
  });

  it("T088: of which the answer unpacks without end is given up", async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    const { call } = await openApi((response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(bomb),
    );
    expect(await call("make", { body: 1 })).toMatchObject({
      success: false,
      error: { code: "TOOL_EXECUTION_FAILED", reason: "answer_too_large", mayHaveHappened: true },
    });
  });

  it.each([
    ["list", undefined],
    ["make", true],
    ["remove", true],
  ])("%s whose connection breaks may have happened: %s", async (name, happened) => {
    const { call, api } = await openApi((response) => response.destroy());
    const result = await call(name, { id: "1" });
    expect(result).toMatchObject({
      success: false,
      error: { code: "TOOL_UNAVAILABLE", reason: "unreachable" },
    });
    expect(!result.success && [result.error.mayHaveHappened, result.error.retryable]).toEqual([
      happened,
      !happened,
    ]);
    expect(api.seen).toHaveLength(1);
  });

  it("that nothing listens for did not happen", async () => {
    const { call } = await openApi(json, { baseUrl: "http://127.0.0.3:9" });
    const result = await call("make", { body: 1 });
    expect(result).toMatchObject({ success: false, error: { code: "TOOL_UNAVAILABLE", retryable: true } });
    expect(!result.success && result.error.mayHaveHappened).toBeUndefined();
  });

  it("that takes too long ends at its time limit, or that of the run", async () => {
    const { call } = await openApi(() => {}, { callTimeoutMs: 300 });
    expect(await call("make", { body: 1 })).toMatchObject({
      error: {
        code: "TOOL_TIMEOUT",
        mayHaveHappened: true,
        message: expect.stringContaining("300 ms") as string,
      },
    });
    const context = contextOf({ deadlineAt: performance.now() + 100 });
    expect(await call("list", {}, context)).toMatchObject({
      error: { code: "TOOL_TIMEOUT", message: expect.stringContaining("deadline of the run") as string },
    });
  });
});

describe("T085: credentials", () => {
  const auth = { key: "s3cret-value" };

  it("go to the operation that needs them, and to no other", async () => {
    const { call, api } = await openApi(json, { auth });
    await call("locked");
    await call("list");
    expect(api.seen.map(({ headers }) => headers["x-key"])).toEqual(["s3cret-value", undefined]);
  });

  it("that are missing stop the call before it is sent", async () => {
    const { call, api } = await openApi(json);
    expect(await call("locked")).toMatchObject({
      success: false,
      error: { code: "TOOL_UNAVAILABLE", reason: "auth_required" },
    });
    expect(api.seen).toEqual([]);
  });

  it("do not follow a redirect to another origin, and no write does", async () => {
    const other = await listen(json, "127.0.0.2");
    const { call, api } = await openApi(
      (response, { url }) => {
        const location =
          url.includes("locked") || url.includes("text") ? `${other.origin}/there` : "/v1/things?moved";
        response.writeHead(307, { location }).end();
      },
      { auth, headers: { "X-Own": "own" } },
    );
    expect(await call("locked")).toMatchObject({ success: true });
    expect(other.seen[0]!.headers).not.toHaveProperty("x-key");
    expect(other.seen[0]!.headers).not.toHaveProperty("x-own");
    expect(await call("make", { body: 1 })).toMatchObject({
      error: { code: "SECURITY_ERROR", mayHaveHappened: true },
    });
    expect(api.seen.length).toBeLessThan(10);
    expect(other.seen).toHaveLength(1);
  });

  it("are not sent where one operation names a server of its own", async () => {
    const { call } = await openApi(json, { auth });
    expect(await call("elsewhere")).toMatchObject({
      success: false,
      error: { code: "SECURITY_ERROR", message: expect.stringContaining("http://127.0.0.2:9") as string },
    });
  });

  it("are not sent where a description from the network names another origin, unless the config names it too", async () => {
    const api = await listen(json, "127.0.0.2");
    const described = await listen((response) =>
      response.end(JSON.stringify({ ...DESCRIPTION, servers: [{ url: api.origin }] })),
    );
    const at = (more: object) =>
      openApi(json, { location: `${described.origin}/openapi.json`, auth, ...more });
    const refused = await (await at({})).call("locked");
    expect(refused).toMatchObject({
      error: { code: "SECURITY_ERROR", hint: expect.stringContaining("baseUrl") as string },
    });
    expect(api.seen).toEqual([]);
    expect(await (await at({ auth: {} })).call("list")).toMatchObject({ success: true });
    expect(await (await at({ baseUrl: api.origin })).call("locked")).toMatchObject({ success: true });
    expect(api.seen.map(({ headers }) => headers["x-key"])).toEqual([undefined, "s3cret-value"]);
    expect(described.seen.some(({ headers }) => "x-key" in headers)).toBe(false);
  });
});

describe("where the API is", () => {
  it("a relative server is at the address of the description", async () => {
    const seen: string[] = [];
    const { source, api } = await openApi((response, { url }) => {
      seen.push(url);
      if (url === "/spec/openapi.json")
        response.end(JSON.stringify({ ...DESCRIPTION, servers: [{ url: "../v3" }] }));
      else json(response, { url, method: "GET", headers: {}, body: "" });
    });
    const config = {
      id: "remote",
      location: `${api.origin}/spec/openapi.json`,
      headers: {},
      auth: {},
      callTimeoutMs: 5_000,
    };
    const remote = createOpenApiSource(config, { reader: createDescriptionReader(), version: "1" });
    expect(await remote.call("list", {}, contextOf())).toMatchObject({ success: true });
    expect(seen).toEqual(["/spec/openapi.json", "/v3/things"]);
    await remote.close();
    await source.close();
  });

  it.each([
    ["/v1", "is no address"],
    ["ftp://example.com", "must begin with http:// or https://"],
    ["https://me:pw@example.com", "must not contain a user name or password"],
    ["http://169.254.169.254/latest", "never used for servers"],
    ["http://[fe80::1]/", "never used for servers"],
  ])("the server %s of a file is refused, and the list says so", async (url, why) => {
    const { source, write, call } = await openApi(json);
    write({ ...DESCRIPTION, servers: [{ url }] });
    expect(await call("list")).toMatchObject({
      success: false,
      error: {
        message: expect.stringContaining(why) as string,
        hint: expect.stringContaining("baseUrl") as string,
      },
    });
    const listed = await source.list(contextOf());
    expect(listed.success && listed.data.incomplete?.join()).toContain(why);
  });
});

describe("a description", () => {
  it.each<[string, string | Buffer, string]>([
    ["no JSON", "{oops", "neither JSON nor YAML"],
    ["not UTF-8", Buffer.from([0xff, 0xfe]), "not valid UTF-8"],
    ["another thing", '{"a": 1}', 'it has no "openapi"'],
    [
      "deeper than any",
      `{"openapi": "3.0.0", "a": ${'{"a":'.repeat(100_000)}1${"}".repeat(100_001)}`,
      "nests deeper than 128 levels",
    ],
  ])("that is %s costs itself, and says why", async (_name, text, why) => {
    const { source, file, call } = await openApi(json);
    writeFileSync(file, text);
    const listed = await source.list(contextOf());
    expect(listed).toMatchObject({
      success: false,
      error: { code: "TOOL_UNAVAILABLE", message: expect.stringContaining(why) as string },
    });
    expect(await call("list")).toMatchObject({ success: false, error: { code: "TOOL_UNAVAILABLE" } });
    expect(source.status()).toMatchObject({
      state: "failed",
      failure: { reason: expect.stringContaining(why) as string },
    });
  });

  it.skipIf(process.platform === "win32")(
    "T037: that is a pipe, a folder or not there is told at once",
    async () => {
      const folder = temporaryFolder();
      execFileSync("/usr/bin/mkfifo", [join(folder, "pipe")]);
      for (const [name, why] of [
        ["pipe", "a pipe, socket or device"],
        [".", "a folder"],
        ["gone", "no such file"],
      ] as const) {
        const { source } = await openApi(json, { location: join(folder, name) });
        expect(await source.list(contextOf())).toMatchObject({
          success: false,
          error: { message: expect.stringContaining(why) as string },
        });
      }
    },
  );

  it("that takes too long to read is given up with its thread, and the next one is read", async () => {
    const reader = createDescriptionReader({ budgetMs: 300 });
    // One operation after the other, each with a schema that doubles at every level.
    const next = (i: number) => ({ $ref: `#/components/schemas/S${i}` });
    const schemas = Object.fromEntries(
      Array.from({ length: 30 }, (_, i) => [`S${i}`, { properties: { a: next(i + 1), b: next(i + 1) } }]),
    );
    const content = { "application/json": { schema: next(0) } };
    const paths = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, i) => [
        `/p${i}`,
        { put: { requestBody: { content }, responses: { 200: { content } } } },
      ]),
    );
    const text = JSON.stringify({
      openapi: "3.1.0",
      components: { schemas: { ...schemas, S30: {} } },
      paths,
    });
    expect(await reader.read({ text })).toMatchObject({
      success: false,
      error: { message: "reading it takes more than 300 ms" },
    });
    expect(await reader.read({ text: JSON.stringify(DESCRIPTION) })).toMatchObject({ success: true });
  });

  it("is read again when its file has changed, and the change is told", async () => {
    const { source, write, call } = await openApi(json);
    let told = 0;
    source.changed(() => told++);
    await source.list(contextOf());
    expect(await call("later")).toMatchObject({ error: { code: "TOOL_NOT_FOUND" } });
    write({
      ...DESCRIPTION,
      servers: [{ url: "http://127.0.0.1:9" }],
      paths: { "/later": { get: { operationId: "later" } } },
    });
    expect(await call("later")).toMatchObject({ error: { reason: "unreachable" } });
    await eventually("the news", () => told > 0);
    expect(await source.list(contextOf())).toMatchObject({ data: { tools: [{ name: "later" }] } });
  });

  it("names what of auth it does not know", async () => {
    const { source } = await openApi(json, { auth: { typo: "x" } });
    const listed = await source.list(contextOf());
    expect(listed.success && listed.data.incomplete).toEqual([
      '"auth" names "typo", and the description has "key"',
    ]);
  });
});
