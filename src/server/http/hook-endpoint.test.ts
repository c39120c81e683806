/** Who may start something with a signed request, on a real socket. */
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { fail, succeed } from "../../core/result.ts";
import { createHookEndpoint, HOOK_PATH, type HookDelivery } from "./hook-endpoint.ts";

const SECRET = "a secret that is long enough";
const BODY = JSON.stringify({ action: "opened" });
const NOW = 1_800_000_000_000;
const SECONDS = NOW / 1_000;

const hmac = (text: string, secret = SECRET): string =>
  createHmac("sha256", secret).update(text).digest("hex");
const github = (text = BODY, secret = SECRET) => ({ "X-Hub-Signature-256": `sha256=${hmac(text, secret)}` });
const own = (seconds: number, text = BODY) => ({
  "Repertoire-Signature": `t=${seconds},v1=${hmac(`${seconds}.${text}`)}`,
});

async function open() {
  const deliveries: HookDelivery[] = [];
  let now = NOW;
  let isDraining = false;
  const answer = createHookEndpoint({
    secretOf: (id) => (id === "good" || id === "refusing" ? SECRET : undefined),
    async start(delivery) {
      if (delivery.id === "refusing") return fail("TOOL_NOT_FOUND", "There is no such tool.");
      deliveries.push(delivery);
      return succeed({ runId: `run of ${delivery.deliveryId}` });
    },
    clock: { now: () => now, elapsed: () => now },
    isDraining: () => isDraining,
    refused: () => {},
  });
  const server = createServer((request, response) => {
    const path = request.url ?? "/";
    const id = HOOK_PATH.exec(path)?.[1] ?? "";
    void answer({ request, response, path, sentBefore: 0, principal: undefined }, id);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const send = async (
    headers: Record<string, string>,
    { id = "good", body = BODY, method = "POST" } = {},
  ) => {
    const url = `http://127.0.0.1:${port}/hooks/${id}`;
    const sent = await fetch(url, { method, headers, ...(method === "POST" && { body }) });
    return { status: sent.status, text: await sent.text() };
  };
  return {
    send,
    deliveries,
    advance: (ms: number) => void (now += ms),
    drain: () => void (isDraining = true),
  };
}

it.each([
  ["GitHub's signature", github(), 202],
  ["our own, now", own(SECONDS), 202],
  ["our own, almost five minutes ago", own(SECONDS - 299), 202],
  ["our own, from a clock that is ahead", own(SECONDS + 299), 202],
  ["our own, replayed after five minutes", own(SECONDS - 301), 401],
  ["our own, far ahead", own(SECONDS + 301), 401],
  ["our own, with another time", { "Repertoire-Signature": `t=${SECONDS},v1=${hmac(`1.${BODY}`)}` }, 401],
  ["our own, over the body alone", { "Repertoire-Signature": `t=${SECONDS},v1=${hmac(BODY)}` }, 401],
  ["a key that is not signed", { ...own(SECONDS), "Idempotency-Key": "k" }, 401],
  ["no signature", {}, 401],
  ["an empty one", { "X-Hub-Signature-256": "sha256=" }, 401],
  ["half of one", { "X-Hub-Signature-256": `sha256=${hmac(BODY).slice(0, 32)}` }, 401],
  ["one of another body", github(`${BODY} `), 401],
  ["one with another secret", github(BODY, "another secret, as long"), 401],
  ["SHA-1", { "X-Hub-Signature": `sha1=${hmac(BODY).slice(0, 40)}` }, 401],
])("%s", async (_name, headers, status) => {
  const { send, deliveries } = await open();
  expect((await send(headers)).status).toBe(status);
  expect(deliveries).toHaveLength(status === 202 ? 1 : 0);
});

it("answers an unknown hook and a wrong signature alike", async () => {
  const { send } = await open();
  const unknown = await send(github(), { id: "unknown" });
  expect(unknown).toEqual(await send(github(BODY, "another secret, as long")));
  expect(unknown.status).toBe(401);
});

it("knows a delivery again by its id, by its signed key, or by its signature", async () => {
  const { send } = await open();
  const runOf = async (headers: Record<string, string>) =>
    (JSON.parse((await send(headers)).text) as { run_id: string }).run_id;
  expect(await runOf({ ...github(), "X-GitHub-Delivery": "d1" })).toBe("run of d1");
  const signed = `t=${SECONDS},v1=${hmac(`${SECONDS}.k1.${BODY}`)}`;
  expect(await runOf({ "Repertoire-Signature": signed, "Idempotency-Key": "k1" })).toBe("run of k1");
  expect(await runOf(github())).toBe(await runOf(github()));
  expect(await runOf(own(SECONDS))).not.toBe(await runOf(own(SECONDS - 1)));
});

it("says what is wrong with the tool to who has signed, and nothing else to anybody", async () => {
  const { send } = await open();
  expect(await send(github(), { id: "refusing" })).toMatchObject({
    status: 422,
    text: expect.stringContaining("no such tool"),
  });
  expect((await send({}, { method: "GET" })).status).toBe(405);
  const large = "x".repeat(1024 * 1024 + 1);
  // The connection ends while the body is on its way.
  const sent = await send(github(large), { body: large }).catch(() => ({ status: 413 }));
  expect(sent.status).toBe(413);
});

it("lets an address wait that fails again and again", async () => {
  const { send, advance } = await open();
  for (let i = 0; i < 20; i++) expect((await send({})).status).toBe(401);
  expect((await send(github())).status).toBe(429);
  advance(60_000);
  expect((await send(github())).status).toBe(202);
});

it("starts nothing while the gateway ends", async () => {
  const { send, drain, deliveries } = await open();
  drain();
  expect((await send(github())).status).toBe(503);
  expect(deliveries).toEqual([]);
});
