import { describe, expect, test } from "vitest";
import { listen } from "../../net/listen.testkit.ts";
import { createContext, createNode } from "../nodes.testkit.ts";

const context = createContext();

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
