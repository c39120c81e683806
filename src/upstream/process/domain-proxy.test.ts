import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { connect as connectHttp2, type ClientHttp2Session } from "node:http2";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Log } from "../../core/log.ts";
import { silentLog } from "../../core/log.ts";
import { serveDomains } from "./domain-proxy.ts";

/** The two ends of a connection, as a sandbox and the gateway have them. */
async function makeChannel(): Promise<{ readonly inside: Socket; readonly outside: Socket }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const inside = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const [outside] = (await once(server, "connection")) as [Socket];
  server.close();
  for (const socket of [inside, outside]) socket.on("error", () => {});
  onTestFinished(() => {
    inside.destroy();
    outside.destroy();
  });
  return { inside, outside };
}

interface ProxyOptions {
  readonly allowed?: readonly string[];
  readonly denied?: readonly string[];
  /** The address of every name. */
  readonly address?: string;
  readonly log?: Log;
}

async function openProxy({
  allowed = [],
  denied = [],
  address = "127.0.0.1",
  log = silentLog,
}: ProxyOptions) {
  const { inside, outside } = await makeChannel();
  serveDomains(outside, {
    network: { allowedDomains: allowed, deniedDomains: denied },
    log,
    resolve: async () => [{ address, family: address.includes(":") ? 6 : 4 }],
  });
  const session = connectHttp2("http://gateway.invalid", {
    createConnection: () => inside,
    // The test does not wait while it writes.
    maxSessionMemory: 100,
  });
  session.on("error", () => {});
  return { session, inside, ask: (text: string) => ask(session, text) };
}

/** What comes back for bytes that a program in the sandbox writes to its proxy. */
async function ask(session: ClientHttp2Session, text: string): Promise<string> {
  const stream = session.request(
    { ":method": "CONNECT", ":authority": "gateway.invalid" },
    { endStream: false },
  );
  stream.on("error", () => {});
  let answer = "";
  stream.on("data", (chunk: Buffer) => (answer += chunk.toString()));
  stream.once("end", () => stream.end());
  stream.write(text);
  await once(stream, "close");
  return answer;
}

async function startWeb(): Promise<number> {
  const server = createHttpServer((request, response) => {
    response.setHeader("connection", "close");
    response.end(
      `host=${request.headers.host} path=${request.url} via=${request.headers["proxy-authorization"] ?? ""}`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const get = (url: string, ...headers: string[]) =>
  `GET ${url} HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n${headers.map((line) => `${line}\r\n`).join("")}\r\n`;
const open = (authority: string, then = "") =>
  `CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n\r\n${then}`;

describe("a host that is named", () => {
  it("is reached by a plain request, under its own name and without what was for the proxy", async () => {
    const port = await startWeb();
    const { ask: send } = await openProxy({ allowed: ["localhost"] });
    const answer = await send(get(`http://localhost:${port}/a?b=c`, "proxy-authorization: Basic c2VjcmV0"));
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
    expect(answer).toContain(`host=localhost:${port} path=/a?b=c via=`);
    expect(answer).not.toContain("c2VjcmV0");
  });

  it("is reached by a tunnel, with what is sent right behind the request", async () => {
    const port = await startWeb();
    const { ask: send } = await openProxy({ allowed: ["LOCALHOST"] });
    const answer = await send(open(`localhost:${port}`, get("/in")));
    expect(answer).toMatch(/^HTTP\/1.1 200 Connection Established\r\n\r\nHTTP\/1.1 200 /);
    expect(answer).toContain("path=/in");
  });
});

it("carries many tunnels at once, and each byte of them", { timeout: 60_000 }, async () => {
  const echo = createServer((socket) => socket.pipe(socket));
  await new Promise<void>((resolve) => echo.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void echo.close());
  const { session } = await openProxy({ allowed: ["localhost"] });
  const authority = `localhost:${(echo.address() as AddressInfo).port}`;
  const sizes = Array.from({ length: 20 }, (_, index) => 1 + index * 100_000);
  await Promise.all(
    sizes.map(async (size) => {
      const sent = randomBytes(size);
      const got = await throughTunnel(session, authority, sent);
      expect(got.equals(sent)).toBe(true);
    }),
  );
});

/** What an echo behind a tunnel gives back. */
async function throughTunnel(session: ClientHttp2Session, authority: string, sent: Buffer): Promise<Buffer> {
  const stream = session.request(
    { ":method": "CONNECT", ":authority": "gateway.invalid" },
    { endStream: false },
  );
  const chunks: Buffer[] = [];
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  stream.write(open(authority));
  stream.end(sent);
  await once(stream, "close");
  const all = Buffer.concat(chunks);
  return all.subarray(all.indexOf("\r\n\r\n") + 4);
}

describe("a host that is not reached", () => {
  it.each([
    ["is not in the list", ["example.com"], [], "example.org", "93.184.215.14"],
    [
      "is denied within a pattern",
      ["*.example.com"],
      ["bad.example.com"],
      "bad.example.com",
      "93.184.215.14",
    ],
    ["is denied although it is named", ["example.com"], ["*"], "example.com", "93.184.215.14"],
    ["is an address, where names are allowed", ["*.example.com"], [], "127.0.0.1", "127.0.0.1"],
    ["is an address of this machine, under *", ["*"], ["x.org"], "127.0.0.1", "127.0.0.1"],
    ["is an address of this machine in another spelling", ["*"], ["x.org"], "2130706433", "127.0.0.1"],
    ["is the metadata service, under *", ["*"], ["x.org"], "169.254.169.254", "169.254.169.254"],
    ["is this machine by IPv6, under *", ["*"], ["x.org"], "[::1]", "::1"],
  ])("%s", async (_why, allowed, denied, host, address) => {
    const { ask: send } = await openProxy({ allowed, denied, address });
    expect(await send(open(`${host}:443`))).toMatch(/^HTTP\/1.1 403 /);
    expect(await send(get(`http://${host}/`))).toMatch(/^HTTP\/1.1 403 /);
  });

  it.each([
    ["a name under a pattern that leads to this machine", ["*.example.com"], "api.example.com", "127.0.0.1"],
    [
      "a name under a pattern that leads to the own network",
      ["*.example.com"],
      "api.example.com",
      "10.0.0.1",
    ],
    ["a named host that leads to this machine", ["api.example.com"], "api.example.com", "127.0.0.1"],
    [
      "a named host that leads to a metadata service",
      ["api.example.com"],
      "api.example.com",
      "169.254.169.254",
    ],
  ])("%s", async (_what, allowed, host, address) => {
    const port = await startWeb();
    const { ask: send } = await openProxy({ allowed, address });
    expect(await send(open(`${host}:${port}`))).toMatch(/^HTTP\/1.1 502 /);
    expect(await send(get(`http://${host}:${port}/`))).toMatch(/^HTTP\/1.1 502 /);
  });

  it("is told of in the answer, and once in the log", async () => {
    const logged: unknown[] = [];
    const log: Log = { ...silentLog, warn: (event, fields) => void logged.push([event, fields]) };
    const { ask: send } = await openProxy({ allowed: ["example.com"], log });
    const answers = [await send(open("example.org:443")), await send(open("example.org:443"))];
    expect(answers[1]).toContain("Repertoire does not let this server reach example.org:443");
    expect(logged).toEqual([
      ["isolation.refused", { host: "example.org", why: "it is not in sandbox.network.allowedDomains" }],
    ]);
  });
});

describe("a server that sends what is no request", () => {
  it.each([
    ["nothing that is HTTP", "\0\x01\x02garbage\r\n\r\n"],
    ["a request for a path alone", get("/")],
    ["another scheme", get("ftp://localhost/")],
    ["a url with a password", get("http://me:secret@localhost/")],
    ["a tunnel to nowhere", open("")],
    ["a tunnel to a path", open("localhost/path")],
    ["a header without an end", `GET http://localhost/ HTTP/1.1\r\nx: ${"a".repeat(100_000)}`],
  ])("gets nothing for %s, and the next request is answered", async (_what, text) => {
    const port = await startWeb();
    const { ask: send } = await openProxy({ allowed: ["localhost"] });
    expect(await send(text)).not.toMatch(/ 200 /);
    expect(await send(get(`http://localhost:${port}/`))).toMatch(/ 200 /);
  });

  it("harms nothing by bytes that are not even HTTP/2", async () => {
    const { inside, outside } = await makeChannel();
    serveDomains(outside, { network: { allowedDomains: ["*"], deniedDomains: [] }, log: silentLog });
    inside.write("GET / HTTP/1.1\r\n\r\n".repeat(100));
    inside.resume();
    await once(inside, "close");
    expect(outside.destroyed).toBe(true);
  });
});
