import { expect, test } from "vitest";
import { createAddressRule, type Resolve } from "./address-policy.ts";
import type { HttpRequest } from "./http-outcome.ts";
import { listen } from "./listen.testkit.ts";
import { followRedirects, type JourneyOptions } from "./redirects.ts";

function get(url: string, headers: Record<string, string> = {}): HttpRequest {
  return { url: new URL(url), method: "GET", headers: new Map(Object.entries(headers)) };
}

interface Rule {
  readonly resolve?: Resolve;
  readonly refuses?: (address: string) => boolean;
}

function options({ resolve, refuses = () => false }: Rule): JourneyOptions {
  const { signal } = new AbortController();
  return { policy: createAddressRule(refuses, resolve), signal, bytesMax: 1000, redirectCountMax: 5 };
}

/** 127.0.0.1 is the public internet here, and everything else is private. */
const onlyFirst = (address: string): boolean => address !== "127.0.0.1";

test("T085: a name is resolved once, and the connection goes to the address that was checked", async () => {
  const server = await listen((response) => response.end("hello"));
  const answers = ["127.0.0.1", "127.0.0.2"];
  let count = 0;
  const resolve = async () => [{ address: answers[count++] ?? "127.0.0.3", family: 4 }];
  const first = get(`http://rebinding.example:${server.port}/`);
  const { end } = await followRedirects(first, options({ resolve, refuses: onlyFirst }));
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
