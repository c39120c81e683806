import { describe, expect, test } from "vitest";
import { resolveName, type AddressGuard } from "./http/address-guard.ts";
import { exchange, type ExchangeOptions, type HttpRequest } from "./http/exchange.ts";
import { followRedirects } from "./http/redirect.ts";
import { createContext, createNode, listen } from "./nodes.testkit.ts";

const context = createContext();

function get(url: string, headers: Record<string, string> = {}): HttpRequest {
  return { url: new URL(url), method: "GET", headers: new Map(Object.entries(headers)) };
}

function options(guard: Partial<AddressGuard>): ExchangeOptions & { redirectCountMax: number } {
  const whole = { resolve: resolveName, refuses: () => false, ...guard };
  return { guard: whole, signal: context.signal, bytesMax: 1000, redirectCountMax: 5 };
}

/** 127.0.0.1 stands for the public internet, everything else for what is private. */
const onlyFirst = (address: string): boolean => address !== "127.0.0.1";

describe("T085: without workflows.allowPrivateHttp", () => {
  test.each([
    "localhost",
    "LOCALHOST",
    "127.0.0.1",
    "127.1",
    "127.0.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "017700000001",
    "0.0.0.0",
    "0",
    "10.0.0.1",
    "169.254.169.254",
    "0xa9fea9fe",
    "2852039166",
    "192.168.0.1",
    "100.64.0.1",
    "[::]",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:a9fe:a9fe]",
    "[0:0:0:0:0:ffff:7f00:1]",
    "[fc00::1]",
    "[fe80::1]",
    "[64:ff9b::7f00:1]",
    "①②⑦.0.0.1",
  ])("nothing reaches a server behind http://%s", async (host) => {
    const server = await listen((response) => response.end("secret"));
    const result = await createNode("http", {}).call({ url: `http://${host}:${server.port}/` }, context);
    expect(result).toMatchObject({ success: false, error: { code: "SECURITY_ERROR", retryable: false } });
    expect(JSON.stringify(result)).toContain("workflows.allowPrivateHttp");
    expect(server.seen).toEqual([]);
  });

  test("a name that resolves to a private address is refused, also beside a public one", async () => {
    const server = await listen((response) => response.end("secret"));
    const addresses = ["1.1.1.1", "127.0.0.1"].map((address) => ({ address, family: 4 }));
    const http = createNode("http", {}, { resolve: async () => addresses });
    const result = await http.call({ url: `http://public.example:${server.port}/` }, context);
    expect(result).toMatchObject({ success: false, error: { code: "SECURITY_ERROR" } });
    expect(server.seen).toEqual([]);
  });
});

test("T085: a name is resolved once, and the connection goes to the address that was checked", async () => {
  const server = await listen((response) => response.end("hello"));
  const answers = ["127.0.0.1", "127.0.0.2"];
  let count = 0;
  const resolve = async () => [{ address: answers[count++] ?? "127.0.0.3", family: 4 }];
  const end = await exchange(
    get(`http://rebinding.example:${server.port}/`),
    options({ resolve, refuses: onlyFirst }),
  );
  expect(end).toMatchObject({ kind: "answer", status: 200 });
  expect(count).toBe(1);
  expect(server.seen[0]?.headers["host"]).toBe(`rebinding.example:${server.port}`);
});

test("T085: a name that turns private between two hops is refused at the second", async () => {
  const server = await listen((response) => response.writeHead(302, { location: "/again" }).end());
  const answers = ["127.0.0.1", "127.0.0.2"];
  const resolve = async () => [{ address: answers.shift()!, family: 4 }];
  const first = get(`http://rebinding.example:${server.port}/`);
  const journey = await followRedirects(first, options({ resolve, refuses: onlyFirst }));
  expect(journey.end).toEqual({ kind: "refused" });
  expect(server.seen).toHaveLength(1);
});

test.each(["http://[::1]", "http://127.0.0.2", "http://localhost.example", "http://2130706434"])(
  "T085: a redirect to %s is checked like a first request",
  async (target) => {
    const inner = await listen((response) => response.end("secret"), "127.0.0.2");
    const outer = await listen((response) =>
      response.writeHead(307, { location: `${target}:${inner.port}/` }).end(),
    );
    const resolve = async () => [{ address: "127.0.0.2", family: 4 }];
    const journey = await followRedirects(get(outer.origin), options({ resolve, refuses: onlyFirst }));
    expect(journey.end).toEqual({ kind: "refused" });
    expect(inner.seen).toEqual([]);
  },
);

test.each(["file:///etc/passwd", "ftp://127.0.0.1/", "http://me:pw@127.0.0.1/", "javascript:1", "http://"])(
  "a redirect to %s is not followed",
  async (location) => {
    const server = await listen((response) => response.writeHead(302, { location }).end());
    const journey = await followRedirects(get(server.origin), options({}));
    expect(journey.end).toMatchObject({ kind: "badRedirect" });
    expect(server.seen).toHaveLength(1);
  },
);

test("T085: credentials stay with their origin", async () => {
  const secrets = { authorization: "a", cookie: "b", "proxy-authorization": "c", "x-api-key": "d" };
  const other = await listen((response) => response.end("done"));
  const first = await listen((response, { url }) =>
    response.writeHead(302, { location: url === "/" ? "/same" : `${other.origin}/` }).end(),
  );
  await followRedirects(get(`${first.origin}/`, { ...secrets, "x-plain": "e" }), options({}));
  expect(first.seen[1]?.headers).toMatchObject({ ...secrets, "x-plain": "e" });
  expect(other.seen[0]?.headers).toMatchObject({ "x-plain": "e" });
  for (const name of Object.keys(secrets)) expect(other.seen[0]?.headers).not.toHaveProperty(name);
});
