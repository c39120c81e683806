import { getEventListeners } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { createServer as createTcpServer, type AddressInfo, type Socket } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { createAddressPolicy, createAddressRule, RefusedUrl } from "./address-policy.ts";
import { createCertificate, type Certificate } from "./certificate.testkit.ts";
import { createHttpClient, type HttpClientOptions } from "./http-client.ts";

async function startServer(listener: RequestListener) {
  const sockets = new Set<Socket>();
  const server = createServer(listener);
  server.on("connection", (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, sockets, port };
}

async function open(listener: RequestListener, options: Partial<HttpClientOptions> = {}) {
  const server = await startServer(listener);
  const { fetch, close } = createHttpClient({ policy: createAddressPolicy(new URL(server.url)), ...options });
  onTestFinished(close);
  return { ...server, fetch };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}

const echo = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { method, headers } = request;
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ method, headers, body: await textOf(request) }));
};

describe("requests and answers", () => {
  it("sends text and forms, and returns status, headers and body", async () => {
    const { fetch, url } = await open((request, response) => void echo(request, response));
    const answer = await fetch(url, { method: "POST", headers: { "x-a": "b" }, body: "{}" });
    expect([answer.status, answer.ok, answer.url]).toEqual([200, true, url]);
    expect(await answer.json()).toMatchObject({ method: "POST", body: "{}", headers: { "x-a": "b" } });
    const form = await fetch(url, { method: "POST", body: new URLSearchParams({ a: "1" }) });
    expect(await form.json()).toMatchObject({
      body: "a=1",
      headers: { "content-type": "application/x-www-form-urlencoded;charset=UTF-8" },
    });
    await expect(fetch(url, { method: "POST", body: new Blob(["x"]) })).rejects.toThrow("only text");
  });

  it("keeps the connection for the next request", async () => {
    const { fetch, url, sockets } = await open((request, response) => void echo(request, response));
    for (let i = 0; i < 5; i++) await (await fetch(url)).text();
    expect(sockets.size).toBe(1);
  });

  it.each([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
    ["deflate", deflateSync],
  ] as const)("unpacks %s", async (encoding, pack) => {
    const { fetch, url } = await open((_, response) => {
      response.writeHead(200, { "content-encoding": encoding }).end(pack("hello"));
    });
    expect(await (await fetch(url)).text()).toBe("hello");
  });

  it("T088: counts after unpacking, and takes no encoding within an encoding", async () => {
    const { fetch, url } = await open(
      (request, response) => {
        const twice = request.url === "/twice";
        const bomb = gzipSync(Buffer.alloc(5_000_000));
        response.writeHead(200, { "content-encoding": twice ? "gzip, gzip" : "gzip" });
        response.end(twice ? gzipSync(bomb) : bomb);
      },
      { bytesMax: 1_000_000 },
    );
    await expect(fetch(url)).rejects.toThrow("longer than 1000000 bytes");
    await expect(fetch(`${url}twice`)).rejects.toThrow("not asked for");
  });

  it("T085: returns a redirect as it is", async () => {
    const { fetch, url } = await open((_, response) => {
      response.writeHead(302, { location: "http://169.254.169.254/" }).end();
    });
    const answer = await fetch(url);
    expect([answer.status, answer.headers.get("location")]).toEqual([302, "http://169.254.169.254/"]);
  });

  it("an answer without a body has none", async () => {
    const { fetch, url } = await open((_, response) => response.writeHead(204).end());
    expect((await fetch(url)).body).toBeNull();
  });
});

describe("streams", () => {
  it("passes events on as they come, packed or not", async () => {
    for (const packed of [false, true]) {
      const { promise, resolve } = Promise.withResolvers<ServerResponse>();
      const { fetch, url } = await open((_, response) => {
        response.writeHead(200, {
          "content-type": "text/event-stream",
          ...(packed && { "content-encoding": "gzip" }),
        });
        response.flushHeaders();
        resolve(response);
      });
      const answer = await fetch(url);
      const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
      const response = await promise;
      // Two members of gzip, one after the other, are one stream.
      const write = (text: string) => response.write(packed ? gzipSync(text) : text);
      write("data: 1\n\n");
      expect((await reader.read()).value).toBe("data: 1\n\n");
      write("data: 2\n\n");
      expect((await reader.read()).value).toBe("data: 2\n\n");
      response.end();
      expect((await reader.read()).done).toBe(true);
    }
  });

  it("a stream that is no longer read ends the connection", async () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const { fetch, url } = await open((_, response) => {
      response.on("close", resolve);
      response.writeHead(200, { "content-type": "text/event-stream" }).write(": hi\n\n");
    });
    await (await fetch(url)).body!.cancel();
    await closed;
  });

  it("a stream that is cut ends with an error", async () => {
    const { fetch, url } = await open((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).write("data: 1");
      setImmediate(() => response.destroy());
    });
    await expect((await fetch(url)).text()).rejects.toThrow();
  });
});

describe("signals", () => {
  it("leave no listener behind, however the request ends", async () => {
    const { fetch, url } = await open((request, response) => {
      if (request.url === "/cut") return response.destroy();
      const type = request.url === "/events" ? "text/event-stream" : "text/plain";
      return response.writeHead(200, { "content-type": type }).end("data: 1\n\n");
    });
    const { signal } = new AbortController();
    for (let i = 0; i < 20; i++) {
      await (await fetch(url, { signal })).text();
      await (await fetch(`${url}events`, { signal })).text();
      await fetch(`${url}cut`, { signal }).catch(() => {});
    }
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  it("end a request that waits, and a stream that is being read, with their reason", async () => {
    const { fetch, url } = await open((request, response) => {
      if (request.url === "/events")
        response.writeHead(200, { "content-type": "text/event-stream" }).write(": hi\n\n");
    });
    const waiting = new AbortController();
    const asked = fetch(url, { signal: waiting.signal });
    waiting.abort(new Error("enough"));
    await expect(asked).rejects.toThrow("enough");
    const reading = new AbortController();
    const answer = await fetch(`${url}events`, { signal: reading.signal });
    const text = answer.text();
    reading.abort(new Error("enough of that"));
    await expect(text).rejects.toThrow("enough of that");
    await expect(fetch(url, { signal: AbortSignal.abort(new Error("before")) })).rejects.toThrow("before");
  });
});

const HOUR_MS = 3_600_000;

describe("T089: TLS", () => {
  async function reach({ key, cert }: Certificate, ca?: string): Promise<number> {
    const server = createTlsServer({ key, cert }, (_, response) => response.end("secret"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const policy = createAddressPolicy(new URL(url));
    const { fetch, close } = createHttpClient({ policy, ca });
    onTestFinished(close);
    return (await fetch(url)).status;
  }

  it("a certificate that is believed, for this host and this time, is taken", async () => {
    const good = createCertificate("127.0.0.1", new Date(Date.now() + HOUR_MS / 2));
    expect(await reach(good, good.cert)).toBe(200);
  });

  it.each([
    ["its signer is not trusted", "127.0.0.1", HOUR_MS / 2, false, "DEPTH_ZERO_SELF_SIGNED_CERT"],
    ["it is for another host", "127.0.0.9", HOUR_MS / 2, true, "ERR_TLS_CERT_ALTNAME_INVALID"],
    ["it has expired", "127.0.0.1", -HOUR_MS / 2, true, "CERT_HAS_EXPIRED"],
  ])("a certificate is not taken: %s", async (_, address, fromNowMs, isBelieved, code) => {
    const bad = createCertificate(address, new Date(Date.now() + fromNowMs));
    await expect(reach(bad, isBelieved ? bad.cert : undefined)).rejects.toMatchObject({ cause: { code } });
  });
});

describe("T089: what cannot be trusted or known", () => {
  it("a connection that is reset after the request was sent is an error, and nothing is sent twice", async () => {
    let count = 0;
    const { fetch, url } = await open((request) => {
      count++;
      request.socket.resetAndDestroy();
    });
    await expect(fetch(url, { method: "POST", body: "x" })).rejects.toThrow(TypeError);
    expect(count).toBe(1);
  });

  it("a server that takes too long to begin an answer is left", async () => {
    const { fetch, url } = await open(() => {}, { headersMs: 30 });
    await expect(fetch(url)).rejects.toThrow("no answer came within 30 ms");
  });

  it("a plain server behind https is an error", async () => {
    const { port } = await startServer((_, response) => response.end());
    const url = `https://127.0.0.1:${port}/`;
    const { fetch, close } = createHttpClient({ policy: createAddressPolicy(new URL(url)) });
    onTestFinished(close);
    await expect(fetch(url)).rejects.toThrow(TypeError);
  });

  it("a server that is not there is an error with a word about it", async () => {
    const { fetch } = createHttpClient({ policy: createAddressPolicy(new URL("http://127.0.0.1:1/")) });
    await expect(fetch("http://127.0.0.1:1/")).rejects.toThrow("ECONNREFUSED");
  });
});

it("T085: the address is checked when the connection is made, and nothing is sent to one that is refused", async () => {
  let count = 0;
  const { port } = await startServer((_, response) => {
    count++;
    response.end();
  });
  const policy = createAddressPolicy(new URL("https://mcp.example/"), async (hostname) => [
    { address: hostname === "mcp.example" ? "93.184.216.34" : "127.0.0.1", family: 4 },
  ]);
  const { fetch, close } = createHttpClient({ policy });
  onTestFinished(close);
  for (const host of ["as.example", "127.0.0.1", "2130706433", "0x7f.1", "[::ffff:7f00:1]"]) {
    await expect(fetch(`http://${host}:${port}/`)).rejects.toThrow(RefusedUrl);
  }
  expect(count).toBe(0);
});

describe("a request whose outcome is a value", () => {
  const get = (url: string) => ({ url: new URL(url), method: "GET", headers: new Map([["x-a", "b"]]) });
  const { signal } = new AbortController();

  it("has a connection of its own, and gives what came as it came, cut at the limit", async () => {
    const { port, sockets } = await startServer((_, response) => {
      response.writeHead(200, { "content-encoding": "gzip", "x-two": ["1", "2"] }).end("0123456789");
    });
    const policy = createAddressRule(() => false);
    const client = createHttpClient({ policy, keepsConnections: false });
    for (const [bytesMax, body, truncated] of [
      [10, "0123456789", false],
      [9, "012345678", true],
    ] as const) {
      const outcome = await client.request(get(`http://127.0.0.1:${port}/`), { signal, bytesMax });
      expect(outcome).toMatchObject({ kind: "answer", status: 200, body: Buffer.from(body), truncated });
      expect(outcome.kind === "answer" && outcome.headers.get("x-two")).toBe("1, 2");
    }
    expect(sockets.size).toBe(2);
  });

  it("says why there is no answer, and whether the other side may have seen it", async () => {
    const { port } = await startServer((request) => request.socket.resetAndDestroy());
    const reach = (refuses: boolean, url: string, ended: AbortSignal = signal) =>
      createHttpClient({ policy: createAddressRule(() => refuses), keepsConnections: false }).request(
        get(url),
        { signal: ended, bytesMax: 10 },
      );
    const url = `http://127.0.0.1:${port}/`;
    expect(await reach(false, url)).toEqual({ kind: "broken", sent: true, code: "ECONNRESET" });
    expect(await reach(false, "http://127.0.0.1:1/")).toEqual({
      kind: "broken",
      sent: false,
      code: "ECONNREFUSED",
    });
    expect(await reach(true, url)).toEqual({ kind: "refused" });
    expect(await reach(false, url, AbortSignal.abort())).toEqual({ kind: "aborted", sent: false });
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });
});

describe("an answer that is opened and not read", () => {
  const asking = (url: string) => ({
    url: new URL(url),
    method: "POST",
    headers: new Map<string, string>(),
    body: Buffer.from("x"),
  });

  async function openAnswer(listener: RequestListener) {
    const server = await startServer(listener);
    const client = createHttpClient({ policy: createAddressPolicy(new URL(server.url)), connectMs: 5_000 });
    onTestFinished(client.close);
    return { ...server, client };
  }

  it("comes as soon as it begins, and piece by piece, and its connection is kept", async () => {
    const later = Promise.withResolvers<void>();
    const { client, url, sockets } = await openAnswer((_request, response) => {
      response.write("first");
      void later.promise.then(() => response.end(" second"));
    });
    const abort = new AbortController();
    for (const round of [1, 2]) {
      const opened = await client.open(asking(url), { signal: abort.signal });
      if (opened.kind !== "opened") throw new Error(opened.kind);
      if (round === 1) later.resolve();
      expect(await textOf(opened.message)).toBe("first second");
    }
    expect(sockets.size).toBe(1);
    expect(getEventListeners(abort.signal, "abort")).toEqual([]);
  });

  it("has not sent the body over a connection that is closed before it was asked for", async () => {
    const heard: string[] = [];
    const quiet = createTcpServer((socket) => {
      socket.on("data", (part) => {
        heard.push(part.toString());
        socket.destroy();
      });
    });
    await new Promise<void>((resolve) => quiet.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void quiet.close());
    const closed = `http://127.0.0.1:${(quiet.address() as AddressInfo).port}/`;
    const client = createHttpClient({ policy: createAddressRule(() => false) });
    onTestFinished(client.close);
    const { signal } = new AbortController();
    expect(await client.open(asking(closed), { signal })).toMatchObject({ kind: "broken", sent: false });
    expect(heard.join("")).toMatch(/^POST (?:.|\r\n)*\r\n\r\n$/);
  });

  it("ends with the signal", async () => {
    const { client, url } = await openAnswer((_request, response) => void response.write("first"));
    const abort = new AbortController();
    const opened = await client.open(asking(url), { signal: abort.signal });
    if (opened.kind !== "opened") throw new Error(opened.kind);
    const closed = new Promise((resolve) => opened.message.once("close", resolve));
    opened.message.on("error", () => {});
    abort.abort(new Error("enough"));
    await closed;
    expect(opened.message.complete).toBe(false);
  });

  it("says why there is none, and whether the other side has got the body", async () => {
    const { client, url } = await openAnswer((request) => {
      request.resume();
      request.once("end", () => request.socket.destroy());
    });
    const { signal } = new AbortController();
    expect(await client.open(asking(url), { signal })).toMatchObject({ kind: "broken", sent: true });
    expect(await client.open(asking("http://127.0.0.1:1/"), { signal })).toMatchObject({ sent: false });
    expect(await client.open(asking("ftp://127.0.0.1/"), { signal })).toEqual({ kind: "refused" });
  });
});
