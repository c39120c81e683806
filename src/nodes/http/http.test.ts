import { createServer, type AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { listen } from "../../net/listen.testkit.ts";
import { createContext, createNode } from "../nodes.testkit.ts";

const http = createNode("http", { allowPrivateHttp: true });
const call = (params: JsonObject, more = {}) => http.call(params, createContext(more));

describe("a request", () => {
  test("is a GET that asks for no compression and says who sends it", async () => {
    const server = await listen((response) => response.end("hello"));
    const result = await call({ url: `${server.origin}/a?x=1#part` });
    expect(result).toMatchObject({ success: true, data: { status: 200, ok: true, body: "hello" } });
    expect(server.seen).toMatchObject([
      {
        method: "GET",
        url: "/a?x=1",
        headers: { "accept-encoding": "identity", "user-agent": "repertoire/1.2.3" },
      },
    ]);
  });

  test("carries query, headers and JSON", async () => {
    const server = await listen((response) => response.end());
    const query = { q: "a b&c", page: 2, tag: ["x", "y"], none: null, yes: true };
    const headers = { "X-One": "1", __proto__x: "p" };
    await call({ url: server.origin, method: "POST", query, headers, json: { a: [1, null] } });
    expect(server.seen[0]).toMatchObject({
      method: "POST",
      url: "/?q=a+b%26c&page=2&tag=x&tag=y&yes=true",
      body: '{"a":[1,null]}',
      headers: { "x-one": "1", "content-type": "application/json", "content-length": "14" },
    });
  });

  test("carries text as it is, and the caller's own content type", async () => {
    const server = await listen((response) => response.end());
    await call({ url: server.origin, method: "PUT", body: "ä", headers: { "Content-Type": "text/csv" } });
    expect(server.seen[0]).toMatchObject({
      body: "ä",
      headers: { "content-type": "text/csv", "content-length": "2" },
    });
  });

  test("carries the idempotency key of its step, unless the caller has one", async () => {
    const server = await listen((response) => response.end());
    const meta = { "repertoire/idempotencyKey": "step-1" };
    await call({ url: server.origin, method: "POST" }, { meta });
    await call({ url: server.origin, method: "POST", headers: { "idempotency-key": "mine" } }, { meta });
    await call(
      { url: server.origin, method: "POST" },
      { meta: { "repertoire/idempotencyKey": "a\r\nb: c" } },
    );
    expect(server.seen.map((seen) => seen.headers["idempotency-key"])).toEqual(["step-1", "mine", undefined]);
  });

  test.each<[JsonObject, string]>([
    [{ url: "nowhere" }, "url"],
    [{ url: "file:///etc/passwd" }, "url"],
    [{ url: "http://me:pw@127.0.0.1/" }, "url"],
    [{}, "url"],
    [{ method: "CONNECT" }, "method"],
    [{ json: 1, body: "x" }, "body"],
    [{ headers: { "X-A": "1\r\nX-B: 2" } }, "headers.X-A"],
    [{ headers: { "X-A": "☃" } }, "headers.X-A"],
    [{ headers: { "X-A\r\nX-B": "1" } }, "headers.X-A\\u{d}\\u{a}X-B"],
    [{ headers: { "": "1" } }, "headers."],
    [{ headers: { Host: "other" } }, "headers.Host"],
    [{ headers: { "Transfer-Encoding": "chunked" } }, "headers.Transfer-Encoding"],
    [{ headers: { "content-length": "3" } }, "headers.content-length"],
  ])("%j is refused and sends nothing", async (params, field) => {
    const server = await listen((response) => response.end());
    const defaults: JsonObject = field === "url" ? {} : { url: server.origin };
    const result = await call({ ...defaults, ...params });
    expect(result).toMatchObject({ success: false, error: { code: "TOOL_INVALID_INPUT", field } });
    expect(server.seen).toEqual([]);
  });

  test.each([
    ["GET", true],
    ["HEAD", true],
    ["OPTIONS", true],
    ["PUT", true],
    ["DELETE", true],
    ["POST", false],
    ["PATCH", false],
    [undefined, true],
  ])("%s may be made twice: %s", (method, repeatable) => {
    expect(http.isRepeatable(method === undefined ? {} : { method })).toBe(repeatable);
  });
});

describe("an answer", () => {
  test.each([
    ["application/json", '{"a":1}', { a: 1 }],
    ["application/json; charset=utf-8", "[1]", [1]],
    ["application/problem+json", '"x"', "x"],
    ["application/json", "{broken", "{broken"],
    ["application/json", "[".repeat(5000), "[".repeat(5000)],
    ["application/json", "", ""],
    ["text/plain", '{"a":1}', '{"a":1}'],
    ["text/html; charset=iso-8859-1", Buffer.from([0xe4]), "ä"],
    ["text/plain; charset=nonsense", "ä", "ä"],
  ])("of type %s with %j", async (type, body, expected) => {
    const server = await listen((response) => response.setHeader("Content-Type", type).end(body));
    const result = await call({ url: server.origin });
    expect(result).toMatchObject({
      success: true,
      data: { body: expected, headers: { "content-type": type } },
    });
  });

  test("keeps every header as its own property, whatever its name", async () => {
    const server = await listen((response) => {
      response.setHeader("__proto__", "x");
      response.setHeader("Set-Cookie", ["a=1", "b=2"]);
      response.end();
    });
    const result = await call({ url: server.origin });
    const headers = result.success ? (result.data as { headers: JsonObject }).headers : {};
    expect(Object.hasOwn(headers, "__proto__")).toBe(true);
    expect(headers["set-cookie"]).toBe("a=1, b=2");
  });

  test.each([
    [9, "x".repeat(9), true],
    [10, "x".repeat(10), undefined],
    [11, "x".repeat(10), undefined],
  ])("of 10 bytes with max_bytes %i", async (max, body, truncated) => {
    const server = await listen((response) => response.end("x".repeat(10)));
    const result = await call({ url: server.origin, max_bytes: max });
    expect(result).toMatchObject({ success: true, data: { body } });
    expect(result.success && (result.data as JsonObject)["truncated"]).toBe(truncated);
  });

  test("that is cut inside a character ends before it", async () => {
    const server = await listen((response) => response.end("xä"));
    const result = await call({ url: server.origin, max_bytes: 2 });
    expect(result).toMatchObject({ success: true, data: { body: "x", truncated: true } });
  });

  test("that does not end is read no further than the limit", async () => {
    const server = await listen((response) => {
      const timer = setInterval(() => response.write("x".repeat(1024 * 1024)), 1);
      response.once("close", () => clearInterval(timer));
    });
    const result = await call({ url: server.origin });
    expect(result).toMatchObject({ success: true, data: { truncated: true } });
    expect(result.success && (result.data as { body: string }).body.length).toBe(4 * 1024 * 1024);
  });

  test("that is compressed all the same fails with words, not noise", async () => {
    const server = await listen((response) =>
      response.setHeader("Content-Encoding", "gzip").end(gzipSync("x".repeat(100_000))),
    );
    const result = await call({ url: server.origin });
    expect(result).toMatchObject({ success: false, error: { reason: "content_encoding" } });
  });

  test.each([
    [400, false],
    [404, false],
    [408, true],
    [425, true],
    [429, true],
    [500, true],
    [503, true],
  ])("with status %i is a failure, retryable: %s", async (status, retryable) => {
    const body = `no\u001b[2K\n${"x".repeat(1000)}`;
    const server = await listen((response) => response.writeHead(status).end(body));
    const result = await call({ url: `${server.origin}/p?secret=1` });
    expect(result).toMatchObject({ success: false, error: { code: "TOOL_EXECUTION_FAILED", retryable } });
    const { message } = result.success ? { message: "" } : result.error;
    expect(message).toContain(`status ${status} and said: no\\u{1b}[2K x`);
    expect(message.length).toBeLessThan(700);
    expect(message).not.toContain("secret");
    const taken = await call({ url: server.origin, fail_on_status: false });
    expect(taken).toMatchObject({ success: true, data: { status, ok: false } });
  });
});

describe("redirects", () => {
  test.each([
    [301, "POST", "GET", ""],
    [302, "POST", "GET", ""],
    [303, "PUT", "GET", ""],
    [307, "POST", "POST", "b"],
    [308, "PUT", "PUT", "b"],
    [302, "PUT", "PUT", "b"],
  ])("%i after %s goes on with %s", async (status, method, next, body) => {
    const server = await listen((response, { url }) =>
      url === "/" ? response.writeHead(status, { location: "/next" }).end() : response.end("there"),
    );
    const result = await call({ url: server.origin, method, body: "b" });
    expect(result).toMatchObject({ success: true, data: { status: 200, body: "there" } });
    expect(server.seen[1]).toMatchObject({ method: next, body });
    expect(server.seen[1]?.headers["content-type"]).toBe(
      body === "" ? undefined : "text/plain; charset=utf-8",
    );
  });

  test("are not followed when the caller does not want it", async () => {
    const server = await listen((response) => response.writeHead(302, { location: "/next" }).end());
    const result = await call({ url: server.origin, follow_redirects: false });
    expect(result).toMatchObject({
      success: true,
      data: { status: 302, ok: false, headers: { location: "/next" } },
    });
  });

  test("T085: a loop ends after five", async () => {
    const server = await listen((response) => response.writeHead(302, { location: "/" }).end());
    const result = await call({ url: server.origin });
    expect(result).toMatchObject({ success: false, error: { code: "TOOL_EXECUTION_FAILED" } });
    expect(server.seen).toHaveLength(6);
  });
});

describe("what does not come to an end", () => {
  test.each([
    ["GET", undefined, true],
    ["POST", true, false],
    ["DELETE", true, false],
  ])("%s without an answer: mayHaveHappened is %s", async (method, happened, retryable) => {
    const server = await listen(() => {});
    const result = await call({ url: server.origin, method, timeout_ms: 300 });
    expect(result).toMatchObject({ success: false, error: { code: "TOOL_TIMEOUT", retryable } });
    expect(!result.success && result.error.mayHaveHappened).toBe(happened);
    expect(!result.success && result.error.message).toContain("300 ms");
  });

  test("a body that trickles is under the same time limit", async () => {
    const server = await listen((response) => {
      const timer = setInterval(() => response.write("x"), 10);
      response.once("close", () => clearInterval(timer));
    });
    const result = await call({ url: server.origin, timeout_ms: 150 });
    expect(result).toMatchObject({ success: false, error: { code: "TOOL_TIMEOUT" } });
  });

  test("the deadline of the run counts before timeout_ms", async () => {
    const server = await listen(() => {});
    const result = await call({ url: server.origin }, { deadlineAt: performance.now() + 100 });
    expect(result).toMatchObject({ success: false, error: { code: "TOOL_TIMEOUT" } });
    expect(!result.success && result.error.message).toContain("deadline of the run");
  });

  test("after the deadline nothing is sent", async () => {
    const server = await listen((response) => response.end());
    const result = await call({ url: server.origin, method: "POST" }, { deadlineAt: performance.now() - 1 });
    expect(result).toMatchObject({ success: false, error: { code: "TOOL_TIMEOUT", retryable: true } });
    expect(server.seen).toEqual([]);
  });

  test("a cancelled POST that was sent may have happened; one that was not did not", async () => {
    const controller = new AbortController();
    const server = await listen(() => controller.abort());
    const sent = await call({ url: server.origin, method: "POST" }, { signal: controller.signal });
    expect(sent).toMatchObject({ success: false, error: { code: "CANCELLED", mayHaveHappened: true } });
    const unsent = await call({ url: server.origin, method: "POST" }, { signal: controller.signal });
    expect(!unsent.success && unsent.error.mayHaveHappened).toBe(undefined);
    expect(server.seen).toHaveLength(1);
  });

  test("a connection that breaks after the request leaves a POST in doubt", async () => {
    const server = await listen((response) => response.destroy());
    const post = await call({ url: server.origin, method: "POST" });
    expect(post).toMatchObject({
      success: false,
      error: { code: "TOOL_UNAVAILABLE", retryable: false, mayHaveHappened: true },
    });
    const get = await call({ url: server.origin });
    expect(get).toMatchObject({ success: false, error: { code: "TOOL_UNAVAILABLE", retryable: true } });
  });

  test("a port that nothing listens on is unavailable, and nothing happened", async () => {
    const server = await listen(() => {});
    const result = await call({ url: `http://127.0.0.2:${server.port}`, method: "POST" });
    expect(result).toMatchObject({ success: false, error: { code: "TOOL_UNAVAILABLE", retryable: true } });
    expect(!result.success && result.error.mayHaveHappened).toBe(undefined);
  });

  test.each([
    ["220 smtp ready\r\n", "TOOL_EXECUTION_FAILED"],
    ["HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n", "TOOL_UNAVAILABLE"],
    ["HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", "TOOL_UNAVAILABLE"],
    [`HTTP/1.1 200 OK\r\nX-Long: ${"x".repeat(100_000)}\r\n\r\n`, "TOOL_EXECUTION_FAILED"],
    ["", "TOOL_UNAVAILABLE"],
  ])("an answer of the bytes %j is a failure", async (bytes, code) => {
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.end(bytes));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const result = await call({ url: `http://127.0.0.1:${port}` });
    expect(result).toMatchObject({ success: false, error: { code } });
  });
});
