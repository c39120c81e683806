/** Each request reaches another replica than the one before: whatever one of them began, the next goes on with. */
import { spawnSync } from "node:child_process";
import { DEFAULT_SCOPE } from "../../src/core/names.ts";
import { BIN, environmentOf } from "../fixtures/gateway-process.ts";
import { connectHttp, type Message } from "../rig/http-process.ts";
import type { Outcome } from "./case.ts";
import { call, msUntil, post, request, type HttpStand } from "./http-stand.ts";
import { firstOf } from "./terminated.ts";

const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "legacy", version: "1" } },
});

/** A legacy client's call in its session. */
export function legacyCall(id: number, name: string, args: object): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } });
}

/** The headers of a session that this address opened. */
export async function openSession(
  url: URL,
  headers: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const opened = await post(url, headers, INITIALIZE);
  const session = opened.headers.get("mcp-session-id");
  if (session === null) throw new Error(`${opened.status} to initialize: ${opened.text}`);
  return { ...headers, "Mcp-Session-Id": session, "MCP-Protocol-Version": "2025-11-25" };
}

/** Through the balancer, unless another address is given. */
export async function legacySession(
  { replicas }: HttpStand,
  requestCount: number,
  url = replicas.balancer.url,
): Promise<Outcome> {
  const headers = await openSession(url, replicas.headers);
  const wrong: string[] = [];
  for (let n = 1; n <= requestCount; n++) {
    const { status, text } = await post(url, headers, legacyCall(n, "counter__get", { n }));
    if (status !== 200 || !text.includes(`"double":${2 * n}`)) wrong.push(`${status} ${text.slice(0, 200)}`);
  }
  return counted("requests of one session after initialize", requestCount, wrong);
}

export async function draftsGoOn(stand: HttpStand, count: number): Promise<Outcome> {
  const wrong: string[] = [];
  for (let i = 0; i < count; i++) {
    const { draft } = await call(stand, "execute", { code: `return ${i} + 1`, intent: "add one" });
    const names = { draft_name: draft, final_name: `math:add_${i}`, description: "Adds one." };
    const saved = await call(stand, "save_to_library", names);
    if (saved["success"] !== true) wrong.push(JSON.stringify(saved));
  }
  return counted("`execute` at one, `save_to_library` at the next", count, wrong);
}

/** Pays a number after a yes. */
const PAYMENT = {
  ir_version: "1.0",
  inputs: { n: { type: "integer" } },
  nodes: [{ id: "pay", type: "counter__add", params: { n: "${n}" }, approval: { message: "Pay ${n}?" } }],
  outputs: { paid: { source: "${pay.n}" } },
};
/** Apart from the effects of other cases. */
const FIRST_PAYMENT = 7_000_000;

export async function approvals(stand: HttpStand, count: number): Promise<Outcome> {
  const { store, replicas } = stand;
  await store.drafts.put(DEFAULT_SCOPE, { name: "payment", kind: "workflow", text: JSON.stringify(PAYMENT) });
  const wrong: string[] = [];
  for (let i = 0; i < count; i++) {
    const params = { name: "execute", arguments: { name: "payment", inputs: { n: FIRST_PAYMENT + i } } };
    const answer = await answerAll(stand, params, { approve: true });
    if (!JSON.stringify(answer).includes(`"paid":${FIRST_PAYMENT + i}`)) wrong.push(JSON.stringify(answer));
  }
  const paid = stand.calls("add").filter((n) => n >= FIRST_PAYMENT);
  const { done, figures, isMet } = counted(
    `a yes at another of ${replicas.members.length} replicas than the question`,
    count,
    wrong,
  );
  const isOnce = paid.length === count && new Set(paid).size === count;
  return { done, figures: `${figures}, ${paid.length} effects`, isMet: isMet && isOnce };
}

/** A legacy server asks in the middle of a call, which waits at one replica for the answer that reaches another. */
export async function heldCalls(stand: HttpStand, count: number): Promise<Outcome> {
  const wrong: string[] = [];
  for (let i = 0; i < count; i++) {
    const params = { name: "cell__ask", arguments: { key: `question ${i}` } };
    const answer = await answerAll(stand, params, { words: `answer ${i}` });
    if (!JSON.stringify(answer.result ?? {}).includes(`answer ${i}`)) wrong.push(JSON.stringify(answer));
  }
  return counted("calls held at one, answered through the next", count, wrong);
}

/** A call, and the same with an answer for as long as something is asked. */
async function answerAll(
  { replicas }: HttpStand,
  params: Readonly<Record<string, unknown>>,
  content: object,
): Promise<Message> {
  const send = (more: object) =>
    request(replicas.balancer.url, replicas.headers, "tools/call", { ...params, ...more });
  let answer = await send({});
  for (let i = 0; i < 3 && answer.result?.["resultType"] === "input_required"; i++) {
    const { requestState, inputRequests = {} } = answer.result as {
      requestState?: string;
      inputRequests?: object;
    };
    const inputResponses = Object.fromEntries(
      Object.keys(inputRequests).map((key) => [key, { action: "accept", content }]),
    );
    answer = await send({ requestState, inputResponses });
  }
  return answer;
}

/** From the end of the command until the last replica refuses. */
export async function revokedToken({ replicas, databaseUrl }: HttpStand, msMax: number): Promise<Outcome> {
  // Beside any proxy, which is in this process: it stands still while the command runs.
  const env = { ...replicas.env, REPERTOIRE_DATABASE_URL: databaseUrl };
  const { token } = JSON.parse(command(env, "token", "create", "leaver", "--json")) as {
    token: string;
  };
  const statusesOf = () =>
    Promise.all(
      replicas.members.map(async ({ url }) => {
        const headers = { Authorization: `Bearer ${token}` };
        return (await post(url, headers, INITIALIZE)).status;
      }),
    );
  await msUntil("every replica to know the token", async () =>
    (await statusesOf()).every((status) => status === 200),
  );
  command(env, "token", "revoke", "leaver");
  const ms = await msUntil("every replica to refuse the token", async () =>
    (await statusesOf()).every((status) => status === 401),
  );
  return within("a token revoked by a command", "refused everywhere", ms, msMax);
}

function command(env: Readonly<Record<string, string>>, ...args: string[]): string {
  const folder = "/nonexistent";
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], {
    env: environmentOf(folder, env),
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${args.join(" ")}: ${status} ${stderr}`);
  return stdout;
}

/** What is kept at one replica is a tool of all, and clients that listen at the others hear of it. */
export async function keptTool(stand: HttpStand, msMax: number): Promise<Outcome> {
  const { replicas } = stand;
  const [one, ...others] = replicas.members.map(({ url }) => url);
  const clients = await Promise.all(others.map((url) => listenAt(url, replicas.headers)));
  const { draft } = await call(stand, "execute", { code: "return args.n * 2", inputs: { n: 2 } }, one);
  const name = "kept:double";
  const names = { draft_name: draft, final_name: name, description: "Doubles." };
  const saved = await call(stand, "save_to_library", names, one);
  if (saved["success"] !== true) throw new Error(JSON.stringify(saved));
  const runsAt = async (url: URL): Promise<boolean> => {
    const { outputs } = await call(stand, "execute", { name, inputs: { n: 4 } }, url);
    return outputs === 8;
  };
  const ms = await msUntil("list_changed everywhere", () => clients.every(({ isTold }) => isTold()));
  const isEverywhere = (await Promise.all(others.map(runsAt))).every(Boolean);
  await Promise.all(clients.map(({ close }) => close()));
  const { isMet, ...row } = within(
    "a capability kept at one replica",
    "list_changed at the others",
    ms,
    msMax,
  );
  return { ...row, isMet: isMet && isEverywhere };
}

/** A client that listens for changes of the tools. */
async function listenAt(url: URL, headers: Readonly<Record<string, string>>) {
  const { client } = await connectHttp("2026-07-28", url, headers);
  let isTold = false;
  client.setNotificationHandler("notifications/tools/list_changed", () => {
    isTold = true;
  });
  await client.listen({ toolsListChanged: true });
  return { isTold: () => isTold, close: () => client.close() };
}

function within(done: string, what: string, ms: number, msMax: number): Outcome {
  return { done, figures: `${what} after ${Math.round(ms)} ms`, isMet: ms <= msMax };
}

function counted(done: string, count: number, wrong: readonly string[]): Outcome {
  return { done, figures: `${count - wrong.length} of ${count}${firstOf(wrong)}`, isMet: wrong.length === 0 };
}
