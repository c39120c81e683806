import { describe, expect, it } from "vitest";
import { checkHost, checkOrigin, type AddressPolicy } from "./origin-check.ts";

const loopback: AddressPolicy = { host: "127.0.0.1", port: 7373, allowedHosts: [], allowedOrigins: [] };
const open: AddressPolicy = {
  host: "0.0.0.0",
  port: 7373,
  publicUrl: "https://mcp.example.com",
  allowedHosts: ["gateway.lan", "box.lan:9000", "192.168.1.5", "[fd00::5]"],
  allowedOrigins: ["https://app.example.com", "http://Tools.example.com:8080/"],
};

const statusOf = (check: ReturnType<typeof checkHost>) => (check.kind === "allowed" ? 200 : check.status);

describe("Host", () => {
  it.each([
    "127.0.0.1:7373",
    "localhost:7373",
    "LocalHost:7373",
    "localhost.:7373",
    "localhost",
    "127.0.0.1",
    "[::1]:7373",
    "[::1]",
    "[0:0:0:0:0:0:0:1]:7373",
  ])("%j is this machine", (header) => {
    expect(checkHost(header, loopback)).toEqual({ kind: "allowed" });
  });

  it.each([
    ["a name that resolves to this machine", "evil.example.com:7373"],
    ["a name that resolves to this machine, without a port", "evil.example.com"],
    ["a service that makes names of addresses", "127.0.0.1.nip.io:7373"],
    ["a name with ours in it", "localhost.evil.example.com:7373"],
    ["a name below ours", "evil.localhost:7373"],
    ["another port", "localhost:7374"],
    ["no port after the colon", "localhost:"],
    ["a port that is no number", "localhost:7373x"],
    ["a port with more digits", "localhost:007373"],
    ["every interface", "0.0.0.0:7373"],
    ["every interface, IPv6", "[::]:7373"],
    ["another address of loopback", "127.0.0.2:7373"],
    ["an address in one number", "2130706433:7373"],
    ["an address in hex", "0x7f000001:7373"],
    ["a short address", "127.1:7373"],
    ["a user before it", "localhost@evil.example.com:7373"],
    ["a user that is evil", "evil.example.com@localhost:7373"],
    ["a path", "localhost:7373/evil"],
    ["a backslash", "localhost:7373\\evil"],
    ["a list", "localhost:7373, evil.example.com"],
    ["a space", "localhost :7373"],
    ["two dots at the end", "localhost..:7373"],
    ["IPv6 without brackets", "::1:7373"],
    ["brackets around a name", "[localhost]:7373"],
    ["a letter that looks like another", "lоcalhost:7373"],
    ["a percent sign", "local%68ost:7373"],
    ["a line break", "localhost:7373\r\nX: y"],
    ["nothing", ""],
    ["far too much", "a".repeat(100_000)],
  ])("T054: with %s is refused", (_, header) => {
    expect(statusOf(checkHost(header, loopback))).toBeGreaterThanOrEqual(400);
  });

  it("is needed, and there is one only", () => {
    expect(statusOf(checkHost(undefined, loopback))).toBe(400);
    expect(statusOf(checkHost([], loopback))).toBe(400);
    expect(statusOf(checkHost(["localhost:7373", "evil.example.com"], loopback))).toBe(400);
    expect(statusOf(checkHost(["localhost:7373", "localhost:7373"], loopback))).toBe(400);
    expect(statusOf(checkHost(["localhost:7373"], loopback))).toBe(200);
  });

  it.each([
    ["mcp.example.com", 200],
    ["MCP.example.com:443", 200],
    ["mcp.example.com:7373", 403],
    ["gateway.lan", 200],
    ["gateway.lan:1234", 200],
    ["box.lan:9000", 200],
    ["box.lan:9001", 403],
    ["192.168.1.5:7373", 200],
    ["[fd00:0::5]:7373", 200],
    ["192.168.1.6:7373", 403],
    ["0.0.0.0:7373", 403],
    ["localhost:7373", 200],
    ["example.com", 403],
  ])("%s, with a public address and names that are allowed: %d", (header, status) => {
    expect(statusOf(checkHost(header, open))).toBe(status);
  });

  it("may be the very address that is listened on", () => {
    expect(statusOf(checkHost("192.168.1.5:80", { ...loopback, host: "192.168.1.5", port: 80 }))).toBe(200);
    expect(statusOf(checkHost("[fd00::1]:7373", { ...loopback, host: "FD00:0::1" }))).toBe(200);
  });
});

describe("Origin", () => {
  it("is not sent by what is no browser", () => {
    expect(checkOrigin(undefined, loopback)).toEqual({ kind: "allowed" });
    expect(checkOrigin([], loopback)).toEqual({ kind: "allowed" });
  });

  it.each(["http://127.0.0.1:7373", "http://localhost:7373", "HTTP://LOCALHOST:7373"])(
    "%s is our own page",
    (header) => {
      expect(checkOrigin(header, loopback)).toEqual({ kind: "allowed" });
    },
  );

  it.each([
    "null",
    "",
    "*",
    "http://evil.example.com",
    "http://evil.example.com:7373",
    "http://localhost",
    "http://localhost:3000",
    "https://localhost:7373",
    "http://[::1]:7373",
    "http://127.0.0.2:7373",
    "http://0.0.0.0:7373",
    "http://localhost:7373@evil.example.com",
    "http://evil.example.com#localhost:7373",
    "http://localhost:7373/",
    "http://localhost:7373 http://evil.example.com",
    "http://localhost.evil.example.com:7373",
    "file://",
    "chrome-extension://abcdef",
    "localhost:7373",
  ])("%j may not come in", (header) => {
    expect(statusOf(checkOrigin(header, loopback))).toBe(403);
  });

  it("is refused when there are two", () => {
    expect(statusOf(checkOrigin(["http://localhost:7373", "http://evil.example.com"], loopback))).toBe(403);
  });

  it.each([
    ["https://app.example.com", 200],
    ["https://app.example.com:443", 200],
    ["https://APP.example.com.", 200],
    ["http://app.example.com", 403],
    ["https://app.example.com:8443", 403],
    ["https://evil.app.example.com", 403],
    ["http://tools.example.com:8080", 200],
    ["https://mcp.example.com", 403],
    ["http://[::1]:7373", 200],
  ])("%s, with some allowed: %d", (header, status) => {
    expect(statusOf(checkOrigin(header, open))).toBe(status);
  });
});
