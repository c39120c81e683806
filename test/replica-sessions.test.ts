/** Sessions and held calls of clients behind a plain balancer: three real gateways on one PostgreSQL database. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { expect, it } from "vitest";
import { callOf, initialize, send } from "../src/server/http/http.testkit.ts";
import { eventually, temporaryFolder } from "./fixtures/temporary.ts";
import { openHttpGateway, type HttpGateway } from "./rig/http-gateway.ts";
import { useDatabase } from "./rig/shared-postgres.ts";

const database = useDatabase();
const COUNTER = join(import.meta.dirname, "fixtures/counter-server.mjs");
/** 128 and the number of the signal. */
const SIGTERM_CODE = 143;
const TOKEN = randomBytes(32).toString("hex");

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Each with a log of its own, so that a test sees where a call went. */
async function openGateways(): Promise<readonly HttpGateway[]> {
  const opened = [];
  for (let count = 0; count < 3; count++) {
    const log = join(temporaryFolder(), "log");
    const mcpServers = { counter: { command: process.execPath, args: [COUNTER, log] } };
    const env = { REPERTOIRE_DATABASE_URL: database.url, REPERTOIRE_TOKEN: TOKEN };
    opened.push(await openHttpGateway({ config: { mcpServers }, env }));
  }
  return opened;
}

it("a session answers at every gateway, and goes on when its own is killed, and when the next one ends", async () => {
  const [one, two, three] = (await openGateways()) as [HttpGateway, HttpGateway, HttpGateway];
  const { headers: opened } = await send(one.url, { headers: one.headers, body: initialize() });
  const headers = { ...one.headers, "Mcp-Session-Id": String(opened["mcp-session-id"]) };
  let id = 1;
  const call = ({ url }: HttpGateway) =>
    send(url, { headers, body: callOf(++id, "counter__add", { n: id }) });

  const statuses = [];
  for (let count = 0; count < 60; count++) statuses.push((await call([one, two, three][count % 3]!)).status);
  expect(statuses).toEqual(statuses.map(() => 200));

  process.kill(one.pid, "SIGKILL");
  // Before that, a request may reach it and get no answer, which is told as what it is.
  await eventually("the end of the first one", () => !isAlive(one.pid));
  const afterKill = await call(two);
  expect([afterKill.status, afterKill.text]).toEqual([200, expect.stringContaining("result")]);
  expect((await call(three)).status).toBe(200);

  const stopped = two.stop();
  const during = [];
  while (isAlive(two.pid)) during.push((await call(three)).text);
  expect(during.filter((text) => !text.includes('"result"'))).toEqual([]);
  expect(during.length).toBeGreaterThan(0);
  expect(await stopped).toBe(SIGTERM_CODE);
  expect((await call(three)).status).toBe(200);
}, 120_000);
