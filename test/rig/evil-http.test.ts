import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ERAS, INITIALIZE } from "../fixtures/gateway-process.ts";
import { eventually, temporaryFolder } from "../fixtures/temporary.ts";
import { connectClient } from "./connect-client.ts";
import { linesOf, startEvilHttp } from "./evil-process.ts";
import type { EvilHttpFault } from "./evil-script.ts";
import { call, META, request } from "./raw-request.ts";

function post(url: string, message: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: "POST",
    redirect: "manual",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body: JSON.stringify(message),
  });
}

const ECHO = call(1, "echo", { text: "x" }, { progressToken: "p" });

describe("an evil upstream over HTTP", () => {
  for (const sse of [false, true]) {
    test.each(ERAS)(
      `satisfies the SDK's client of %s ${sse ? "with event streams" : "with JSON"}`,
      async (era) => {
        const { url } = await startEvilHttp({ http: { sse, session: true } });
        const { client } = await connectClient(era, new URL(url));
        expect((await client.listTools()).tools).toHaveLength(5);
        const result = await client.callTool({ name: "add", arguments: { a: 1, b: 2 } });
        expect(result).toMatchObject({ structuredContent: { sum: 3 } });
      },
    );
  }

  test("asks for its session and its token", async () => {
    const { url } = await startEvilHttp({ http: { session: true, bearer: "good" } });
    const authorization = "Bearer good";
    expect((await post(url, INITIALIZE)).status).toBe(401);
    const opened = await post(url, INITIALIZE, { authorization });
    const session = { authorization, "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
    expect((await post(url, ECHO, { authorization })).status).toBe(404);
    expect((await post(url, ECHO, session)).status).toBe(200);
    const initialized = { jsonrpc: "2.0", method: "notifications/initialized" };
    expect((await post(url, initialized, session)).status).toBe(202);
  });

  test("answers an unknown method with 404 in the modern era and with 200 in the legacy one", async () => {
    const { url } = await startEvilHttp();
    expect((await post(url, request(1, "x/y", { _meta: META }))).status).toBe(404);
    expect((await post(url, request(1, "x/y"))).status).toBe(200);
  });

  test("streams progress before the answer, and a legacy change on the standalone stream", async () => {
    const method = "notifications/tools/list_changed";
    const { url } = await startEvilHttp({ rules: [{ tool: "echo", progress: 2, notify: [{ method }] }] });
    const standalone = await fetch(url, { headers: { accept: "text/event-stream" } });
    const body = await (await post(url, ECHO)).text();
    expect(body.match(/notifications\/progress|"id":1/g)).toHaveLength(3);
    const reader = standalone.body!.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader.read()).value).toContain(method);
    await reader.cancel();
  });

  test("asks the client on the stream of the call and echoes the answer", async () => {
    const { url } = await startEvilHttp({ rules: [{ tool: "echo", request: { method: "roots/list" } }] });
    const reader = (await post(url, ECHO)).body!.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader.read()).value).toContain("roots/list");
    await post(url, { jsonrpc: "2.0", id: "evil-1", result: { roots: [] } });
    expect((await reader.read()).value).toContain('"structuredContent":{"answer":{"roots":[]}}');
  });

  test("notes a client that leaves before the answer", async () => {
    const journalFile = join(temporaryFolder(), "journal");
    const { url } = await startEvilHttp({ journalFile });
    const leave = new AbortController();
    const body = JSON.stringify(call(7, "slow", { ms: 60_000 }));
    const left = fetch(url, { method: "POST", body, signal: leave.signal }).catch(
      (error: Error) => error.name,
    );
    await eventually("the call", () => linesOf(journalFile).some((line) => line.includes('"slow"')));
    leave.abort();
    expect(await left).toBe("AbortError");
    await eventually("the note", () => linesOf(journalFile).includes('{"closed":7}'));
  });
});

describe("an HTTP fault", () => {
  async function faulty(http: EvilHttpFault): Promise<Response> {
    const { url } = await startEvilHttp({ rules: [{ tool: "echo", http }] });
    return post(url, ECHO);
  }

  test("is a status, a time to wait, a redirect", async () => {
    const busy = await faulty({ status: 429, retryAfter: "1e9", body: "slow down" });
    expect([busy.status, busy.headers.get("retry-after"), await busy.text()]).toEqual([
      429,
      "1e9",
      "slow down",
    ]);
    const moved = await faulty({ status: 308, redirect: "http://169.254.169.254/" });
    expect([moved.status, moved.headers.get("location")]).toEqual([308, "http://169.254.169.254/"]);
  });

  test("is another body or another type", async () => {
    const login = await faulty({ body: "<html>", contentType: "text/html" });
    expect([login.status, login.headers.get("content-type"), await login.text()]).toEqual([
      200,
      "text/html",
      "<html>",
    ]);
    const mistyped = await faulty({ contentType: "text/plain" });
    expect(mistyped.headers.get("content-type")).toBe("text/plain");
    expect(await mistyped.json()).toMatchObject({ id: 1 });
    const bomb = await faulty({ gzipBomb: 5_000_000 });
    expect(Number(bomb.headers.get("content-length") ?? 0)).toBeLessThan(50_000);
    expect((await bomb.arrayBuffer()).byteLength).toBe(5_000_000);
  });

  test("cuts or resets the connection, or never ends", async () => {
    const { url } = await startEvilHttp({ rules: [{ tool: "echo", progress: 3, http: { cutSseAfter: 2 } }] });
    const reader = (await post(url, ECHO)).body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    await expect(
      (async () => {
        for (;;) text += (await reader.read()).value ?? "";
      })(),
    ).rejects.toThrow("terminated");
    expect(text.match(/\n\n/g)).toHaveLength(2);
    expect(text.endsWith("\n\n")).toBe(false);
    await expect(faulty({ reset: true })).rejects.toThrow("fetch failed");
    const dying = await startEvilHttp({ rules: [{ tool: "echo", exit: { code: 6, when: "middle" } }] });
    await expect(post(dying.url, ECHO).then((response) => response.text())).rejects.toThrow("terminated");
    expect(await dying.exited()).toEqual({ code: 6, signal: null });
    const endless = (await faulty({ endlessSse: true })).body!.getReader();
    for (let i = 0; i < 5; i++) expect((await endless.read()).done).toBe(false);
    await endless.cancel();
  });
});
