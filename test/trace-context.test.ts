/** A trace from the client through the gateway's parts to a remote server, and to a collector. */
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { createCallWatch } from "../src/telemetry/call-watch.ts";
import type { JsonObject } from "../src/core/json.ts";
import { silentLog } from "../src/core/log.ts";
import { openTelemetry } from "../src/telemetry/otel.ts";
import { createRegistry } from "../src/registry/registry.ts";
import { contextOf } from "../src/server/request-context.ts";
import { createUpstreamServer } from "../src/upstream/upstream-server.ts";

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: JsonObject;
}

interface SentSpans {
  readonly scopeSpans: readonly { readonly spans: readonly { readonly spanId: string }[] }[];
}

async function listen(answer: (body: JsonObject) => JsonObject | undefined) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => (text += chunk.toString()));
    request.on("end", () => {
      if (text === "") return void response.writeHead(405).end();
      const body = JSON.parse(text) as JsonObject;
      received.push({ headers: request.headers, body });
      const answered = answer(body);
      if (answered === undefined) return void response.writeHead(202).end();
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answered));
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function answerMcp({ id, method }: JsonObject): JsonObject | undefined {
  if (id === undefined) return undefined;
  const results: Record<string, JsonObject> = {
    initialize: {
      protocolVersion: "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name: "x", version: "1" },
    },
    "tools/list": { tools: [{ name: "log", inputSchema: { type: "object" } }] },
    "tools/call": { content: [] },
  };
  return { jsonrpc: "2.0", id, result: results[method as string] ?? {} };
}

it("goes on to the server in _meta and in headers, as the child of the client's span", async () => {
  const collector = await listen(() => ({}));
  const remote = await listen(answerMcp);
  const telemetry = await openTelemetry({
    otlpUrl: collector.url,
    sampleRatio: 0,
    version: "1",
    log: silentLog,
    env: {},
  });
  const registry = createRegistry({ watch: createCallWatch(telemetry) });
  registry.add(
    createUpstreamServer(
      {
        id: "git",
        transport: { kind: "http", url: remote.url, headers: {} },
        callTimeoutMs: 10_000,
        connectTimeoutMs: 10_000,
        idleMs: 0,
      },
      { clientInfo: { name: "t", version: "1" }, log: silentLog },
    ),
  );
  onTestFinished(() => registry.close());
  const trace = {
    traceparent: `00-${"1".repeat(32)}-${"2".repeat(16)}-01`,
    tracestate: "v=1",
    baggage: "a=1",
  };
  const params = { name: "git__log", _meta: { ...trace, other: 1 } };
  const context = contextOf(params, { signal: new AbortController().signal });
  expect(await registry.call("git__log", {}, context)).toMatchObject({ success: true });
  await telemetry.close();

  const call = remote.received.find(({ body }) => body["method"] === "tools/call")!;
  const { _meta: meta } = call.body["params"] as { _meta: JsonObject };
  const [sent] = collector.received[0]!.body["resourceSpans"] as unknown as SentSpans[];
  const [span] = sent!.scopeSpans[0]!.spans;
  expect(span).toMatchObject({
    name: "tools/call log",
    parentSpanId: "2".repeat(16),
    traceId: "1".repeat(32),
  });
  expect(meta).toEqual({ ...trace, other: 1, traceparent: `00-${"1".repeat(32)}-${span!.spanId}-01` });
  expect(call.headers).toMatchObject({ traceparent: meta["traceparent"], tracestate: "v=1" });
});
