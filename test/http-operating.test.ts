/** The gateway over HTTP as operators run it: many clients, restarts, changes of the config, and its end. */
import { writeFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  callOf,
  initialize,
  openSession,
  readEvents,
  send,
  type EventReader,
  type RawAnswer,
} from "../src/server/http/http.testkit.ts";
import { ERAS } from "./fixtures/gateway-process.ts";
import { eventually } from "./fixtures/temporary.ts";
import {
  connectHttp,
  createPlace,
  messageOf,
  modernRequest,
  SCRIPTED,
  startHttp,
  type Headers,
} from "./rig/http-process.ts";

async function open(config: object = {}) {
  const place = createPlace(config);
  const gateway = await startHttp(place);
  onTestFinished(async () => {
    await gateway.stop();
    place.remove();
  });
  return { place, gateway, owner: place.owner() };
}

async function connect(...[era, url, headers, capabilities]: Parameters<typeof connectHttp>) {
  const connected = await connectHttp(era, url, headers, capabilities);
  onTestFinished(() => connected.client.close());
  return connected;
}

/** One call by hand in one era; a legacy one in a session of its own. */
async function callBy(era: string, url: URL, owner: Headers, name: string, args: object) {
  if (era === "2026-07-28") {
    const { headers, body } = modernRequest(7, "tools/call", { name, arguments: args });
    return send(url, { headers: { ...owner, ...headers }, body });
  }
  const headers = await openSession(url, "", owner);
  return send(url, { headers, body: callOf(7, name, args) });
}

describe("many clients at once", () => {
  it("300 clients of both eras get their own answers and nobody else's, and the loop turns meanwhile", async () => {
    const { gateway, owner } = await open();
    const wrong: unknown[] = [];
    const work = async (client: number): Promise<void> => {
      const isModern = client % 2 === 0;
      const session = isModern ? {} : await openSession(gateway.url, "", owner);
      for (let i = 0; i < 5; i++) {
        const args = { id: `client ${client} call ${i}` };
        const { headers, body } = isModern
          ? modernRequest(i, "tools/call", { name: "scripted__echo", arguments: args })
          : { headers: session, body: callOf(i, "scripted__echo", args) };
        const { text } = await send(gateway.url, { headers: { ...owner, ...headers }, body });
        const { id, result } = messageOf(text);
        const wanted = [{ type: "text", text: JSON.stringify(args) }];
        if (id !== i || JSON.stringify(result?.["content"]) !== JSON.stringify(wanted)) wrong.push(text);
      }
    };
    await Promise.all(Array.from({ length: 300 }, (_, client) => work(client)));
    expect(wrong).toEqual([]);
    const { text } = await send(gateway.at("/metrics"), { method: "GET", headers: owner });
    expect(Number(/^nodejs_eventloop_lag_seconds ([\d.e+-]+)$/m.exec(text)?.[1])).toBeLessThan(5);
    expect(text).toMatch(/^repertoire_sessions 150$/m);
  });
});

describe("a gateway that is killed and started again at the same address", () => {
  it("strands nobody: a modern client goes on, a legacy one is told to open a new session", async () => {
    const { place, gateway, owner } = await open();
    const { url } = gateway;
    const [legacy, modern] = [
      await connect("2025-11-25", url, owner),
      await connect("2026-07-28", url, owner),
    ];
    const call = ({ client }: typeof legacy) =>
      client.callTool({ name: "scripted__echo", arguments: { a: 1 } });
    const answered = { content: [{ text: '{"a":1}' }] };
    for (const client of [legacy, modern]) expect(await call(client)).toMatchObject(answered);
    await gateway.stop();
    const again = await startHttp(place, { port: Number(url.port) });
    onTestFinished(() => again.stop());
    expect(modern.transport.sessionId).toBeUndefined();
    expect(await call(modern)).toMatchObject(answered);
    const headers = { ...owner, "Mcp-Session-Id": legacy.transport.sessionId! };
    for (const method of ["POST", "GET", "DELETE"]) {
      const given = method === "POST" ? { body: callOf(1, "scripted__echo") } : {};
      expect([method, (await send(url, { method, headers, ...given })).status]).toEqual([method, 404]);
    }
    await expect(call(legacy)).rejects.toThrow(/no such session/);
    expect(await call(await connect("2025-11-25", url, owner))).toMatchObject(answered);
  });
});

const resultOf = ({ text }: RawAnswer) => messageOf(text).result ?? {};

/** A stream of events for both ways of listening. */
async function listenBoth(url: URL, owner: Headers) {
  const session = await openSession(url, "", owner);
  const legacy = readEvents(url, { method: "GET", headers: session });
  const { headers, body } = modernRequest("l", "subscriptions/listen", {
    notifications: { toolsListChanged: true },
  });
  const modern = readEvents(url, { headers: { ...owner, ...headers }, body });
  await eventually("the subscription", () => modern.events.length > 0);
  return { legacy, modern, session };
}

const statusOf = async (url: URL, owner: Headers) =>
  (await send(url, { method: "GET", headers: owner }).catch(() => undefined))?.status;

/** Asks again and again until it is answered like that. */
async function answeredWith(
  url: URL,
  owner: Headers,
  isWanted: (answer: RawAnswer) => boolean,
): Promise<RawAnswer> {
  for (let i = 0; i < 500; i++) {
    const answer = await send(url, { method: "GET", headers: owner });
    if (isWanted(answer)) return answer;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`${url.pathname} was never answered as it should be`);
}

describe("a signal to end", () => {
  it("lets calls under way be answered, takes no new ones, ends streams, and is 143", async () => {
    const { place, gateway, owner } = await open();
    const { legacy, modern } = await listenBoth(gateway.url, owner);
    const answers = ERAS.map((era) => callBy(era, gateway.url, owner, "scripted__wait", { key: "k", era }));
    await eventually("the calls", () => ERAS.every((era) => place.heard().includes(`"era":"${era}"`)));
    gateway.signal("SIGTERM");
    await answeredWith(gateway.at("/health/ready"), owner, ({ status }) => status === 503);
    const late = await callBy("2026-07-28", gateway.url, owner, "scripted__touch", {});
    expect([late.status, late.headers["connection"]]).toEqual([503, "close"]);
    place.release("k");
    for (const answer of answers) expect((await answer).text).toContain("released k");
    await Promise.all([legacy.ended, modern.ended]);
    expect(await gateway.exited()).toEqual({ code: 143, signal: null });
  });

  it("says that it is not ready while a run ends where it stands, and the run goes on in the next gateway", async () => {
    const { place, gateway, owner } = await open();
    const code =
      'const first = await mcp.scripted.wait({ key: "k" }); return [first, await mcp.scripted.touch({})];';
    const answer = callBy("2026-07-28", gateway.url, owner, "execute", { code });
    await eventually("the call", () => place.heard().includes('"wait"'));
    gateway.signal("SIGTERM");
    const ready = await answeredWith(gateway.at("/health/ready"), owner, ({ status }) => status === 503);
    expect(ready.json()).toMatchObject({ parts: { gateway: "draining" } });
    expect(await statusOf(gateway.at("/health/live"), owner)).toBe(200);
    place.release("k");
    const cut = resultOf(await answer)["structuredContent"] as { run_id: string };
    expect(cut).toMatchObject({ success: false, run_id: expect.any(String) });
    expect(await gateway.exited()).toEqual({ code: 143, signal: null });
    expect(place.heard()).not.toContain('"touch"');
    const next = await startHttp(place);
    onTestFinished(() => next.stop());
    const args = { resume: cut.run_id };
    const { text } = await callBy("2026-07-28", next.url, owner, "execute", args);
    expect(text).toContain("touched");
    expect(place.heard().split('"wait"')).toHaveLength(2);
  });

  it("that comes twice ends it at once", async () => {
    const { place, gateway, owner } = await open();
    void callBy("2025-11-25", gateway.url, owner, "scripted__wait", { key: "k" }).catch(() => {});
    await eventually("the call", () => place.heard().includes('"wait"'));
    gateway.signal("SIGTERM");
    await answeredWith(gateway.at("/health/ready"), owner, ({ status }) => status === 503);
    gateway.signal("SIGTERM");
    expect(await gateway.exited()).toEqual({ code: 143, signal: null });
    expect(gateway.stderr()).not.toContain("gateway.stopped");
  });
});

describe("a config that changes while clients are connected", () => {
  const listed = async (url: URL, owner: Headers): Promise<string[]> => {
    const { headers, body } = modernRequest(1, "tools/list");
    const answer = await send(url, { headers: { ...owner, ...headers }, body });
    return (resultOf(answer)["tools"] as { name: string }[]).map(({ name }) => name);
  };
  const other = { command: process.execPath, args: [SCRIPTED] };
  const told = (stream: EventReader) =>
    eventually("the notification", () =>
      stream.events.some(({ data }) => data.includes("tools/list_changed")),
    );

  it("tells both eras of a server that is new, keeps to the last good one when it is broken, and says so", async () => {
    const { place, gateway, owner } = await open({ exposure: "full" });
    await listed(gateway.url, owner);
    const { legacy, modern, session } = await listenBoth(gateway.url, owner);
    await send(gateway.url, {
      headers: session,
      body: JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/list" }),
    });
    place.configure({ exposure: "full", mcpServers: { other } });
    await Promise.all([told(legacy), told(modern)]);
    expect(await listed(gateway.url, owner)).toContain("other__echo");
    writeFileSync(place.configFile, "{ broken");
    const isStale = (answer: RawAnswer) => answer.text.includes("stale");
    const health = await answeredWith(gateway.at("/health"), owner, isStale);
    expect([health.status, health.json()]).toMatchObject([200, { status: "ok", parts: { config: "stale" } }]);
    expect(await listed(gateway.url, owner)).toContain("other__echo");
    place.configure({ exposure: "full" });
    await answeredWith(gateway.at("/health"), owner, (answer) => !isStale(answer));
    const names = await listed(gateway.url, owner);
    expect(names).toContain("scripted__echo");
    expect(names).not.toContain("other__echo");
  });

  it("takes everything from the clients of a profile that is gone", async () => {
    const { place, gateway, owner } = await open({
      profiles: { few: { tools: { allow: ["scripted__echo"] } } },
    });
    const url = gateway.at("/mcp/few");
    const session = await openSession(url, "", owner);
    const call = () => send(url, { headers: session, body: callOf(3, "scripted__echo", { a: 1 }) });
    expect((await call()).text).toContain('{\\"a\\":1}');
    place.configure({});
    await answeredWith(url, owner, ({ status }) => status === 404);
    const after = await call();
    expect(after.text).not.toContain('{\\"a\\":1}');
    expect((await send(url, { headers: owner, body: initialize() })).status).toBe(404);
    place.configure({ profiles: { few: { transparent: "scripted" } } });
    await answeredWith(url, owner, ({ status }) => status !== 404);
    expect(await listed(url, owner)).toContain("echo");
  });
});
