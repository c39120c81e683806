import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { silentLog, type Log } from "../core/log.ts";
import { fail, succeed } from "../core/result.ts";
import { endSpan, NO_SPAN, startRequestSpan } from "./telemetry.ts";
import { openTelemetry, type TelemetryDeps } from "./otel.ts";

interface SentSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[];
  readonly status: { readonly code?: number; readonly message?: string };
}

interface Receiver {
  readonly url: string;
  readonly requests: {
    readonly path: string;
    readonly headers: IncomingHttpHeaders;
    readonly body: string;
  }[];
  spans(): SentSpan[];
  resource(): Record<string, unknown>;
}

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function listen(onRequest: RequestListener): Promise<string> {
  const server = createServer(onRequest);
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  ends.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => void server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A collector: takes OTLP over HTTP as JSON. */
async function receive(status = 200): Promise<Receiver> {
  const requests: Receiver["requests"] = [];
  const url = await listen((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      requests.push({
        path: request.url ?? "",
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      });
      response.writeHead(status, { "content-type": "application/json" }).end("{}");
    });
  });
  const batches = () =>
    requests.flatMap(({ body }) => (JSON.parse(body) as { resourceSpans: ResourceSpans[] }).resourceSpans);
  return {
    url,
    requests,
    spans: () => batches().flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
    resource: () => valuesOf(batches()[0]!.resource.attributes),
  };
}

interface ResourceSpans {
  readonly resource: { readonly attributes: SentSpan["attributes"] };
  readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
}

function valuesOf(attributes: SentSpan["attributes"]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

async function open(deps: Partial<TelemetryDeps> = {}) {
  const telemetry = await openTelemetry({
    sampleRatio: 1,
    version: "1.2.3",
    log: silentLog,
    env: {},
    ...deps,
  });
  ends.push(() => telemetry.close());
  return telemetry;
}

const PARENT = {
  traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01`,
  tracestate: "vendor=1",
  baggage: "user=alice",
};

it("sends spans that go on with the caller's trace, each the child of the one above", async () => {
  const receiver = await receive();
  const telemetry = await open({ otlpUrl: receiver.url });
  const facts = { method: "tools/call", target: "git__log", requestId: 7 };
  const server = startRequestSpan(telemetry, "server", facts, PARENT);
  const run = telemetry.startSpan("run code", { kind: "internal", parent: server.context });
  const client = startRequestSpan(
    telemetry,
    "client",
    { ...facts, target: "log", server: "git" },
    run.context,
  );
  expect(client.context).toEqual({
    traceparent: expect.stringMatching(/^00-a{32}-[0-9a-f]{16}-01$/),
    tracestate: "vendor=1",
    baggage: "user=alice",
  });
  endSpan(client, fail("TOOL_EXECUTION_FAILED", "x", { upstream: { code: -32602, message: "m" } }));
  endSpan(run, succeed({}));
  endSpan(server, succeed({ isError: true }));
  await telemetry.close();

  const [sentClient, sentRun, sentServer] = receiver.spans();
  expect(receiver.requests[0]).toMatchObject({
    path: "/v1/traces",
    headers: { "content-type": "application/json" },
  });
  expect(receiver.resource()).toMatchObject({ "service.name": "repertoire", "service.version": "1.2.3" });
  expect(sentServer).toMatchObject({
    name: "tools/call git__log",
    kind: 2,
    traceId: "a".repeat(32),
    parentSpanId: "b".repeat(16),
    traceState: "vendor=1",
    status: { code: 2 },
  });
  expect(sentRun).toMatchObject({
    name: "run code",
    kind: 1,
    parentSpanId: sentServer!.spanId,
    status: { code: 0 },
  });
  expect(sentClient).toMatchObject({ name: "tools/call log", kind: 3, parentSpanId: sentRun!.spanId });
  expect(client.context!.traceparent).toContain(sentClient!.spanId);
  expect(valuesOf(sentServer!.attributes)).toMatchObject({
    "mcp.method.name": "tools/call",
    "gen_ai.tool.name": "git__log",
    "jsonrpc.request.id": "7",
    "error.type": "tool_error",
  });
  expect(valuesOf(sentClient!.attributes)).toMatchObject({
    "repertoire.server": "git",
    "rpc.response.status_code": "-32602",
    "error.type": "-32602",
  });
});

it("no text of an error and no id of a session leaves the machine", async () => {
  const receiver = await receive();
  const telemetry = await open({ otlpUrl: receiver.url });
  const canary = ["CAN", "ARY"].join("");
  const facts = { method: "tools/call", target: "t", sessionId: `${canary}-session` };
  const upstream = { code: -1, message: canary, data: { secret: canary } };
  const span = startRequestSpan(telemetry, "server", facts, undefined);
  endSpan(span, fail("TOOL_EXECUTION_FAILED", canary, { upstream, hint: canary }));
  await telemetry.close();
  expect(receiver.spans()).toHaveLength(1);
  expect(receiver.requests[0]!.body).not.toContain(canary);
});

it("keeps a caller's choice about sampling, and its own share of new traces", async () => {
  const receiver = await receive();
  const telemetry = await open({ otlpUrl: receiver.url, sampleRatio: 0 });
  const own = telemetry.startSpan("own", { kind: "server" });
  own.end();
  telemetry.startSpan("kept", { kind: "server", parent: PARENT }).end();
  await telemetry.close();
  expect(receiver.spans().map(({ name }) => name)).toEqual(["kept"]);
  // Those below still learn which trace they belong to, and that it is not kept.
  expect(own.context!.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
});

it("without an endpoint nothing is made", async () => {
  const telemetry = await open();
  expect(telemetry.isOn).toBe(false);
  expect(telemetry.startSpan("x", { kind: "server" })).toBe(NO_SPAN);
});

it("takes the variables of OpenTelemetry where the config says nothing", async () => {
  const receiver = await receive();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.url}/`, OTEL_SERVICE_NAME: "mine" };
  const telemetry = await open({ env });
  telemetry.startSpan("x", { kind: "server" }).end();
  await telemetry.close();
  expect(receiver.requests.map(({ path }) => path)).toEqual(["/v1/traces"]);
  expect(receiver.resource()).toMatchObject({ "service.name": "mine" });
});

it.each([
  ["is disabled", { OTEL_SDK_DISABLED: "true" }, 0],
  ["exports elsewhere", { OTEL_TRACES_EXPORTER: "none" }, 0],
  ["speaks gRPC", { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, 1],
  ["is no URL", { OTEL_EXPORTER_OTLP_ENDPOINT: "localhost" }, 1],
])("an environment whose exporter %s switches nothing on", async (_, more, warnings) => {
  const { log, events } = hear();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4317", ...more };
  expect((await open({ env, log })).isOn).toBe(false);
  expect(events).toHaveLength(warnings);
});

it("an endpoint that refuses is told of once, and nothing throws", async () => {
  const receiver = await receive(400);
  const { log, events } = hear();
  const telemetry = await open({ otlpUrl: receiver.url, log });
  // More than one batch.
  for (let i = 0; i < 1500; i++) telemetry.startSpan("x", { kind: "server" }).end();
  await telemetry.close();
  expect(receiver.requests.length).toBeGreaterThan(1);
  expect(events).toEqual([
    ["telemetry.export.failed", expect.objectContaining({ lostSpans: expect.any(Number) })],
  ]);
});

it("an endpoint that never answers does not hold up the end until it is given up", async () => {
  let isGivenUp = false;
  const url = await listen((request) => void request.on("close", () => (isGivenUp = true)));
  const telemetry = await open({ otlpUrl: url });
  telemetry.startSpan("x", { kind: "server" }).end();
  await telemetry.close();
  expect(isGivenUp).toBe(false);
});

it("spans beyond the queue are dropped", async () => {
  const receiver = await receive();
  const telemetry = await open({ otlpUrl: receiver.url });
  for (let i = 0; i < 20_000; i++) telemetry.startSpan("x", { kind: "server" }).end();
  await telemetry.close();
  expect(receiver.spans().length).toBeLessThanOrEqual(2048 + 512);
});

function hear(): { readonly log: Log; readonly events: [string, unknown][] } {
  const events: [string, unknown][] = [];
  return { events, log: { ...silentLog, warn: (event, fields) => void events.push([event, fields]) } };
}
