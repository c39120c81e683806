/** T143, T144, T146: every route of the console and its API, asked in every wrong way. */
import { describe, expect, it, onTestFinished } from "vitest";
import { CONTRACT } from "../src/operator/contract/contract.ts";
import type { Endpoint } from "../src/operator/contract/endpoint.ts";
import { API_PREFIX, ROUTES, type RouteName } from "../src/operator/routes.ts";
import { send } from "../src/server/http/http.testkit.ts";
import { linkTo } from "./rig/console-link.ts";
import { createPlace, startHttp, type Headers } from "./rig/http-process.ts";

const NAMES = Object.keys(ROUTES) as RouteName[];
/** Of a route whose names are filled with something that is not there. */
const pathOf = (name: RouteName) => API_PREFIX + ROUTES[name][1].replaceAll(/:\w+/g, "nothing");

async function open() {
  const place = createPlace();
  const gateway = await startHttp(place);
  onTestFinished(async () => {
    await gateway.stop();
    place.remove();
  });
  place.owner();
  const own = { home: place.home, url: gateway.url };
  const page: Headers = { Origin: gateway.url.origin, "X-Repertoire-Console": "1" };
  const redeem = async (link: string, headers: Headers = page) =>
    send(gateway.at("/api/v1/session"), { headers, body: JSON.stringify({ link: link.split("#link=")[1] }) });
  const signIn = async (token?: string): Promise<Headers> => {
    const { headers } = await redeem(await linkTo(own, token));
    return { ...page, Cookie: String(headers["set-cookie"]).split(";")[0]! };
  };
  const ask = (name: RouteName, headers: Headers, body = "{}") => {
    const [method] = ROUTES[name];
    return send(gateway.at(pathOf(name)), { method, headers, ...(method === "POST" && { body }) });
  };
  return { place, gateway, own, page, redeem, signIn, ask };
}

type Ask = Awaited<ReturnType<typeof open>>["ask"];

/** The status of every route under these headers. */
async function statuses(ask: Ask, headers: Headers): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const name of NAMES) found[name] = (await ask(name, headers)).status;
  return found;
}

const every = (status: number): Record<string, number> =>
  Object.fromEntries(NAMES.map((name) => [name, status]));

describe("the route table", () => {
  it("a wrong Host, a wrong Origin and a foreign page are refused on every route", async () => {
    const { ask, signIn } = await open();
    const cookie = await signIn();
    expect(await statuses(ask, { ...cookie, Host: "evil.example" })).toEqual(every(403));
    expect(await statuses(ask, { ...cookie, Origin: "https://evil.example" })).toEqual(every(403));
    expect(await statuses(ask, { ...cookie, Origin: "null" })).toEqual(every(403));
    expect(await statuses(ask, { ...cookie, "Sec-Fetch-Site": "cross-site" })).toEqual(every(403));
  });

  it("without a cookie, and with one that was changed or doubled, nothing is told", async () => {
    const { ask, signIn, page } = await open();
    const { Cookie = "", ...rest } = await signIn();
    const [name, value = ""] = Cookie.split("=");
    const changed = `${name}=${value.slice(0, 20)}${value[20] === "A" ? "B" : "A"}${value.slice(21)}`;
    for (const headers of [page, { ...rest, Cookie: changed }, { ...rest, Cookie: `${Cookie}; ${Cookie}` }]) {
      const found = await statuses(ask, headers);
      const { openSession, closeSession, ...others } = found;
      // The two that need no session: one wants a link, the other has nothing to close.
      expect([openSession, closeSession]).toEqual([400, 200]);
      expect([headers, new Set(Object.values(others))]).toEqual([headers, new Set([401])]);
    }
  });

  it("a write without our header or without an Origin is refused, whatever it writes", async () => {
    const { ask, signIn } = await open();
    const { Origin: _origin, ...withoutOrigin } = await signIn();
    const { "X-Repertoire-Console": _header, ...withoutHeader } = await signIn();
    const writes = NAMES.filter((name) => ROUTES[name][0] !== "GET");
    expect(writes.length).toBeGreaterThan(20);
    for (const headers of [withoutOrigin, withoutHeader])
      for (const name of writes) expect([name, (await ask(name, headers)).status]).toEqual([name, 403]);
  });

  it("T132: a token without the permission of a route is refused, and one with limits by what shows the whole", async () => {
    const { ask, place, signIn } = await open();
    place.tokenFor("nothing", ["write"]);
    place.tokenFor("reader", ["read"]);
    place.tokenFor("limited", ["read", "call", "write", "admin"], { effects: ["read"] });
    const [nothing, reader, limited] = [
      await signIn("nothing"),
      await signIn("reader"),
      await signIn("limited"),
    ];
    for (const name of NAMES) {
      const { permission, shows }: Endpoint = CONTRACT[name];
      if (permission === "public") continue;
      if (permission !== "write") expect([name, (await ask(name, nothing)).status]).toEqual([name, 403]);
      if (permission !== "read") expect([name, (await ask(name, reader)).status]).toEqual([name, 403]);
      if (shows === "whole") expect([name, (await ask(name, limited)).status]).toEqual([name, 403]);
    }
  });

  it("a wrong type in any field is a clear error, never a failure of the gateway", async () => {
    const { ask, signIn, gateway } = await open();
    const headers = { ...(await signIn()), "Content-Type": "application/json" };
    const bodies = [
      "[]",
      "null",
      '"x"',
      "1",
      '{"unknown":1}',
      '{"__proto__":1}',
      "{",
      `{"a":${"[".repeat(5_000)}`,
    ];
    for (const name of NAMES.filter((each) => ROUTES[each][0] === "POST" && each !== "openSession")) {
      for (const body of bodies) {
        const { status, text } = await ask(name, headers, body);
        expect([name, body.slice(0, 20), status, text.slice(0, 80)]).toEqual([
          name,
          body.slice(0, 20),
          400,
          expect.stringContaining('"error"'),
        ]);
      }
    }
    for (const name of NAMES.filter((each) => ROUTES[each][0] === "GET")) {
      const at = (query: string) => gateway.at(`${pathOf(name)}?${query}`);
      for (const query of ["unknown=1", "a=1&a=2"]) {
        const { status } = await send(at(query), { method: "GET", headers });
        // The session is answered before any query is read.
        expect([name, query, name === "getSession" || status === 400]).toEqual([name, query, true]);
      }
    }
  });
});

describe("the link", () => {
  it("is good once, and its session survives a restart of the gateway", async () => {
    const { own, place, gateway, redeem } = await open();
    const link = await linkTo(own);
    const first = await redeem(link);
    const second = await redeem(link);
    expect([first.status, second.status]).toEqual([200, 401]);
    const cookie = String(first.headers["set-cookie"]).split(";")[0]!;
    await gateway.stop();
    const again = await startHttp(place, { port: Number(gateway.url.port) });
    onTestFinished(() => again.stop());
    const seen = await send(again.at("/api/v1/session"), { method: "GET", headers: { Cookie: cookie } });
    expect([seen.status, JSON.parse(seen.text)]).toMatchObject([200, { id: "token:default" }]);
    expect((await redeem(link)).status).toBe(401);
  });
});
