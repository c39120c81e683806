import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import {
  FORWARDED_MS,
  makeForwardedHeader,
  makeProof,
  openRequest,
  readForwardedHeader,
  readProof,
  SeenIds,
  sealRequest,
} from "./peer-seal.ts";

const key = randomBytes(32);
const request = {
  method: "POST",
  target: "/mcp?a=b",
  rawHeaders: ["Authorization", "Bearer secret"],
  body: Buffer.from('{"é":1}'),
};

it("a header is good for the replica that it names, for a minute, and with this key alone", () => {
  const header = makeForwardedHeader(key, "one", 1_000_000);
  for (const now of [1_000_000, 1_000_000 + FORWARDED_MS, 1_000_000 - FORWARDED_MS])
    expect(readForwardedHeader(key, header, now)).toMatchObject({ kind: "good", to: "one" });
  for (const now of [1_000_001 + FORWARDED_MS, 999_999 - FORWARDED_MS])
    expect(readForwardedHeader(key, header, now)).toMatchObject({ kind: "bad" });
  expect(readForwardedHeader(randomBytes(32), header, 1_000_000)).toMatchObject({ kind: "bad" });
});

it("no character of a header can be changed", () => {
  const header = makeForwardedHeader(key, "one", 1_000_000);
  for (let at = 0; at < header.length; at++) {
    // The last character of the code has bits that mean nothing; another spelling of it is refused as well.
    const other = header[at] === "A" ? "B" : "A";
    const changed = header.slice(0, at) + other + header.slice(at + 1);
    expect(readForwardedHeader(key, changed, 1_000_000).kind).toBe("bad");
  }
});

it("a request opens with the header that it was sealed for, whole, and with no other", () => {
  const header = makeForwardedHeader(key, "one", 1);
  const sealed = sealRequest(key, header, request);
  expect(openRequest(key, header, sealed)).toEqual(request);
  expect(openRequest(key, makeForwardedHeader(key, "one", 1), sealed)).toBeUndefined();
  expect(openRequest(randomBytes(32), header, sealed)).toBeUndefined();
  for (const at of [0, 5, sealed.length - 1]) {
    const changed = Buffer.from(sealed);
    changed[at]! ^= 1;
    expect(openRequest(key, header, changed)).toBeUndefined();
  }
  expect(openRequest(key, header, sealed.subarray(1))).toBeUndefined();
  expect(openRequest(key, header, Buffer.alloc(0))).toBeUndefined();
  expect(sealed.includes("secret")).toBe(false);
});

it("two seals of one request have nothing in common", () => {
  const seal = () => sealRequest(key, makeForwardedHeader(key, "one", 1), request).toString("hex");
  expect(seal().slice(0, 16)).not.toBe(seal().slice(0, 16));
});

it("a proof names who answers, and is good for one header", () => {
  const header = makeForwardedHeader(key, "one", 1);
  const proof = makeProof(key, header, "two");
  expect(readProof(key, header, proof)).toBe("two");
  expect(readProof(key, makeForwardedHeader(key, "one", 1), proof)).toBeUndefined();
  for (const bad of [undefined, "", "one", proof.replace("two", "one"), [proof]])
    expect(readProof(key, header, bad)).toBeUndefined();
});

it("an id counts once for as long as its header can be good", () => {
  let now = 0;
  const seen = new SeenIds(() => now);
  expect([seen.add("a"), seen.add("a")]).toEqual([true, false]);
  // Made by a clock that is ahead by a minute, it is good for two.
  now = 2 * FORWARDED_MS;
  expect(seen.add("a")).toBe(false);
  now = 4 * FORWARDED_MS;
  expect(seen.add("b")).toBe(true);
  expect(seen.add("a")).toBe(true);
});
