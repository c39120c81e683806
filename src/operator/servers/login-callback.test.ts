import { request } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { listenForCallback, WRONG_COUNT_MAX } from "./login-callback.ts";

async function open(port?: number, waitMs?: number) {
  const listener = await listenForCallback(port, waitMs);
  onTestFinished(() => listener.close());
  return listener;
}

function ask(url: string, options: { method?: string; host?: string; path?: string } = {}) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const { method = "GET", host, path } = options;
    const outgoing = request(
      url,
      { method, ...(host && { headers: { host } }), ...(path && { path }) },
      (response) => {
        let text = "";
        response.on("data", (chunk) => (text += String(chunk)));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
      },
    );
    outgoing.on("error", reject);
    outgoing.end();
  });
}

describe("the listener for the end of a login", () => {
  it("T128: takes one request to its own place, and shows nothing of it", async () => {
    const { redirectUrl, waitFor } = await open();
    const received = waitFor(() => true);
    const url = `${redirectUrl}?code=%3Cscript%3E&state=CANARY`;
    const { status, text } = await ask(url);
    expect([status, text.includes("CANARY"), text.includes("script")]).toEqual([200, false, false]);
    expect((await received).href).toBe(url);
    await expect(ask(url)).rejects.toThrow("ECONNREFUSED");
  });

  it("T128: turns away other paths, methods and names", async () => {
    const { redirectUrl, waitFor } = await open();
    const received = waitFor(() => true);
    const { origin } = new URL(redirectUrl);
    const statuses = [
      await ask(`${origin}/`),
      await ask(`${origin}/callbacks`),
      await ask(`${origin}/callback/x`),
      await ask(origin, { path: "http://evil.example/callback" }),
      await ask(origin, { path: "//evil.example/callback" }),
      await ask(redirectUrl, { method: "POST" }),
      await ask(redirectUrl, { host: "evil.example" }),
      await ask(redirectUrl, { host: "localhost" }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([404, 404, 404, 404, 404, 405, 421, 421]);
    await ask(`${redirectUrl}?code=1`);
    expect((await received).searchParams.get("code")).toBe("1");
  });

  it("S18: a request that is not the answer to this login is told so, and the login goes on waiting", async () => {
    const { redirectUrl, waitFor } = await open();
    const early = await ask(`${redirectUrl}?code=1&state=mine`);
    const received = waitFor(({ searchParams }) => searchParams.get("state") === "mine");
    const wrong = await ask(`${redirectUrl}?code=1&state=CANARY`);
    expect([early.status, wrong.status, wrong.text.includes("CANARY")]).toEqual([400, 400, false]);
    expect(wrong.text).toContain("still waiting");
    expect((await ask(`${redirectUrl}?code=2&state=mine`)).status).toBe(200);
    expect((await received).searchParams.get("code")).toBe("2");
  });

  it("S18: so many that are not are too many", async () => {
    const { redirectUrl, waitFor } = await open();
    const received = waitFor(() => false);
    received.catch(() => {});
    for (let i = 0; i < WRONG_COUNT_MAX; i++) expect((await ask(redirectUrl)).status).toBe(400);
    await expect(received).rejects.toThrow("for other logins");
    await expect(ask(redirectUrl)).rejects.toThrow("ECONNREFUSED");
  });

  it("T128: an answer that comes too late is not waited for", async () => {
    const { waitFor } = await open(0, 20);
    await expect(waitFor(() => true)).rejects.toThrow("no answer came");
  });

  it("takes the same port again, and another where it is taken", async () => {
    const first = await open();
    const port = Number(new URL(first.redirectUrl).port);
    const second = await open(port);
    expect(second.redirectUrl).not.toBe(first.redirectUrl);
    first.close();
    expect((await open(port)).redirectUrl).toBe(first.redirectUrl);
  });
});
