/** One gateway for many tests: two clients who may do most things, four tokens with one permission each, and servers that record. */
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import type { Permission } from "../../src/core/principal.ts";
import { send, type RawAnswer } from "../../src/server/http/http.testkit.ts";
import {
  createPlace,
  messageOf,
  modernRequest,
  startHttp,
  type Headers,
  type HttpProcess,
  type Message,
  type Place,
} from "./http-process.ts";
import { openRecordingServer, type RecordingServer } from "./recording-server.ts";

/** Values that may be in no place but their own. */
export const ENV_CANARY = `canary-env-${"e".repeat(16)}`;
export const HEADER_CANARY = `canary-header-${"h".repeat(16)}`;

interface OpenStand {
  readonly recording: RecordingServer;
  readonly place: Place;
  readonly gateway: HttpProcess;
  readonly owner: Headers;
  readonly ann: Headers;
  readonly ben: Headers;
  readonly byPermission: Readonly<Record<Permission, Headers>>;
}

export interface RawRequest {
  readonly headers: Headers;
  readonly body: string;
}

/** Is there from the first test of the file to the last. */
export interface Stand extends OpenStand {
  /** A request of the modern era. */
  ask(
    this: void,
    who: Headers,
    method: string,
    params?: Record<string, unknown>,
    meta?: object,
  ): Promise<RawAnswer & { readonly message: Message }>;
  call(this: void, who: Headers, name: string, args?: object, meta?: object): Promise<Message>;
  metric(this: void, name: string): Promise<number>;
  /** A connection of a client that writes what it likes and reads nothing. */
  openDeaf(this: void, ...requests: readonly RawRequest[]): Socket;
}

export function useStand(): Stand {
  const stand = {} as OpenStand;
  beforeAll(async () => {
    Object.assign(stand, await openStand());
    await call(stand.owner, "scripted__echo");
  });
  afterAll(async () => {
    await stand.gateway.stop();
    await stand.recording.close();
    stand.place.remove();
  });
  const ask: Stand["ask"] = async (who, method, params, meta) => {
    const answer = await send(stand.gateway.url, modernAs(who, "r", method, params, meta));
    return { ...answer, message: answer.text === "" ? {} : messageOf(answer.text) };
  };
  const call: Stand["call"] = async (who, name, args = {}, meta = {}) =>
    (await ask(who, "tools/call", { name, arguments: args }, meta)).message;
  return Object.assign(stand, {
    ask,
    call,
    async metric(name: string) {
      const { text } = await send(stand.gateway.at("/metrics"), { method: "GET", headers: stand.owner });
      return Number(new RegExp(`^${name} ([\\d.e+-]+)$`, "m").exec(text)?.[1]);
    },
    openDeaf: (...requests: readonly RawRequest[]) => openDeaf(stand.gateway.url, requests),
  });
}

async function openStand(): Promise<OpenStand> {
  const recording = await openRecordingServer();
  const place = createPlace({
    exposure: "full",
    log: { level: "debug" },
    telemetry: { otlpUrl: `${recording.url}/v1/traces` },
    mcpServers: {
      recording: { url: `${recording.url}/mcp`, headers: { "X-Key": HEADER_CANARY } },
      idle: { command: process.execPath, args: ["-e", ""], env: { KEY: ENV_CANARY }, enabled: false },
    },
  });
  const only = (permission: Permission) => place.tokenFor(`only-${permission}`, [permission]);
  return {
    recording,
    place,
    owner: place.owner(),
    ann: place.tokenFor("ann", ["read", "call", "write"]),
    ben: place.tokenFor("ben", ["read", "call", "write"]),
    byPermission: { read: only("read"), call: only("call"), write: only("write"), admin: only("admin") },
    gateway: await startHttp(place),
  };
}

function openDeaf(url: URL, requests: readonly RawRequest[]): Socket {
  const socket = connect(Number(url.port), url.hostname);
  socket.on("error", () => {});
  socket.pause();
  onTestFinished(() => void socket.destroy());
  for (const { headers, body } of requests) {
    const lines = Object.entries({
      Host: url.host,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "Content-Length": String(Buffer.byteLength(body)),
      ...headers,
    }).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`POST /mcp HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
  }
  return socket;
}

/** A request of the modern era in somebody's name. */
export function modernAs(who: Headers, ...request: Parameters<typeof modernRequest>): RawRequest {
  const { headers, body } = modernRequest(...request);
  return { headers: { ...who, ...headers }, body };
}

export const textOf = ({ result }: Message): string | undefined =>
  (result?.["content"] as { text: string }[] | undefined)?.[0]?.text;

/** Asks again and again until it is so. */
export async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 1_000; i++) {
    if (await isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`waited in vain for ${what}`);
}
