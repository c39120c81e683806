/** The real endpoint on a real socket, over the real gateway with sources in memory. */
import { createServer, request as httpRequest, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { onTestFinished } from "vitest";
import type { FixtureSource } from "../../../test/fixtures/tool-source.ts";
import { PERMISSIONS, type Permission, type Principal } from "../../core/principal.ts";
import { silentLog, type Log } from "../../core/log.ts";
import { NO_TELEMETRY } from "../../telemetry/telemetry.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { noEvents, openRig } from "../../gateway/gateway.testkit.ts";
import { insufficientScope } from "../auth/permission.ts";
import { createMcpEndpoint } from "./mcp-endpoint.ts";

export const VERSIONS = ["2025-11-25", "2026-07-28"] as const;
export type Version = (typeof VERSIONS)[number];

export function principalOf(
  name: string,
  permissions: readonly Permission[] = PERMISSIONS,
): Principal & {
  revoke(): void;
} {
  const revoked = new AbortController();
  return {
    id: `token:${name}`,
    name,
    permissions: new Set(permissions),
    revoked: revoked.signal,
    revoke: () => revoked.abort(),
  };
}

/** The header `X-Name` names the principal and is believed: authentication has tests of its own. */
export async function openEndpoint(...sources: FixtureSource[]) {
  const rig = await openRig(...sources);
  return { ...rig, ...(await serveEndpoint(rig.gateway)) };
}

/** The endpoint alone, over any gateway. */
export async function serveEndpoint(gateway: Gateway, log: Log = silentLog) {
  const principals = new Map<string, Principal>([["ann", principalOf("ann")]]);
  const endpoint = createMcpEndpoint({
    gateway,
    events: noEvents,
    log,
    isTransparent: false,
    isDraining: () => false,
    telemetry: NO_TELEMETRY,
    refusePermission: (permission) => insufficientScope(permission, permission, undefined),
  });
  const server = createServer((request, response) => {
    const principal = principals.get(String(request.headers["x-name"] ?? "ann"));
    void endpoint.handle({ request, response, path: "/mcp", sentBefore: 0, principal });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
  onTestFinished(async () => {
    await endpoint.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { endpoint, url, principals };
}

export async function connectClient(url: URL, version: Version, name = "ann", capabilities = {}) {
  const client = new Client(
    { name, version: "1.0.0" },
    { capabilities, ...(version === "2026-07-28" && { versionNegotiation: { mode: { pin: version } } }) },
  );
  const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers: { "X-Name": name } } });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return { client, transport };
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  json(): Record<string, never>;
}

/** One request with exactly these headers and this body. */
export function send(
  url: URL,
  options: { method?: string; headers?: Record<string, string | string[]>; body?: string | Buffer } = {},
): Promise<RawAnswer> {
  const { method = "POST", headers = {}, body } = options;
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, headers: { ...JSON_HEADERS, ...headers } }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("end", () => {
        const text = Buffer.concat(parts).toString();
        const { statusCode: status = 0, headers: answered } = response;
        resolve({ status, headers: answered, text, json: () => JSON.parse(text) as Record<string, never> });
      });
    });
    request.once("error", reject);
    request.end(body);
  });
}

const JSON_HEADERS = {
  "Content-Type": "application/json",
  Accept: "application/json, text/event-stream",
};

export function initialize(id = 1, protocolVersion = "2025-11-25"): string {
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: "raw", version: "1" } };
  return JSON.stringify({ jsonrpc: "2.0", id, method: "initialize", params });
}

/** Opens a session by hand; returns the headers that its requests need. */
export async function openSession(
  url: URL,
  name = "ann",
  own: Record<string, string> = {},
): Promise<Record<string, string>> {
  const { headers } = await send(url, { headers: { "X-Name": name, ...own }, body: initialize() });
  const opened = { "Mcp-Session-Id": String(headers["mcp-session-id"]), "X-Name": name, ...own };
  const body = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" });
  await send(url, { headers: opened, body });
  return opened;
}

export function callOf(id: number | string, name: string, args: object = {}, meta?: object): string {
  const params = { name, arguments: args, ...(meta !== undefined && { _meta: meta }) };
  return JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params });
}

export interface EventReader {
  readonly events: { id: string; data: string }[];
  /** Of the answer; undefined as long as there is none. */
  readonly status: () => number | undefined;
  readonly ended: Promise<void>;
  cut(): void;
}

/** Reads a stream of events until it ends or is cut. */
export function readEvents(
  url: URL,
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
): EventReader {
  const events: { id: string; data: string }[] = [];
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const { method = "POST", headers = {}, body } = options;
  let status: number | undefined;
  const request = httpRequest(url, { method, headers: { ...JSON_HEADERS, ...headers } }, (response) => {
    status = response.statusCode;
    let text = "";
    response.setEncoding("utf8");
    response.on("data", (part: string) => {
      const blocks = (text + part).split("\n\n");
      text = blocks.pop()!;
      for (const block of blocks) {
        const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, "m").exec(block)?.[1] ?? "";
        if (field("data") !== "") events.push({ id: field("id"), data: field("data") });
      }
    });
    response.once("close", resolve);
  });
  request.once("error", () => resolve());
  request.end(body);
  onTestFinished(() => void request.destroy());
  return { events, status: () => status, ended, cut: () => void request.destroy() };
}
