/**
 * Spans for OpenTelemetry, sent as OTLP over HTTP (JSON). The SDK is loaded when an endpoint is configured and not
 * before.
 *
 * Nothing here can fail a request: spans wait in a bounded queue and are dropped when it is full, an endpoint that does
 * not answer is logged once a minute, and the end of the process waits for it for two seconds at most.
 */
import type * as Api from "@opentelemetry/api";
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace";
import type { Log } from "../core/log.ts";
import { NO_TELEMETRY, type Span, type SpanOptions, type Telemetry } from "./telemetry.ts";
import type { TraceContext } from "../core/trace-context.ts";
import { within } from "../timing/deadline.ts";

export interface OpenTelemetry extends Telemetry {
  /** Sends what waits, for a moment; later spans are not sent. */
  close(): Promise<void>;
}

export interface TelemetryDeps {
  /** From the config; it wins over the environment. */
  readonly otlpUrl?: string | undefined;
  readonly sampleRatio: number;
  readonly version: string;
  readonly log: Log;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** About 2 MB of spans. */
const WAITING_SPANS_MAX = 2048;
const BATCH_SPANS_MAX = 512;
/** Soon enough to watch, seldom enough to cost nothing. */
const SEND_EVERY_MS = 2000;
const SEND_TIMEOUT_MS = 5000;
const CLOSE_MS = 2000;
const COMPLAIN_EVERY_MS = 60_000;
/** Every text of ours is shorter. */
const TEXT_LENGTH_MAX = 1024;

const TRACES_PATH = "/v1/traces";

/** Never throws: without an endpoint, or where the SDK cannot be opened, there is no telemetry. */
export async function openTelemetry(deps: TelemetryDeps): Promise<OpenTelemetry> {
  const { env = process.env, log } = deps;
  const endpoint = endpointOf(deps.otlpUrl, env);
  if (endpoint.kind === "unsupported") {
    log.warn("telemetry.unsupported", { problem: endpoint.problem, hint: "Set telemetry.otlpUrl." });
  }
  if (endpoint.kind !== "url") return OFF;
  try {
    return await openSdk(endpoint.url, env["OTEL_SERVICE_NAME"] ?? "repertoire", deps);
  } catch (error) {
    log.warn("telemetry.failed", { error });
    return OFF;
  }
}

const OFF: OpenTelemetry = { ...NO_TELEMETRY, close: async () => {} };

type Endpoint =
  | { readonly kind: "none" }
  | { readonly kind: "unsupported"; readonly problem: string }
  | { readonly kind: "url"; readonly url: string };

/** The config first, then the variables that every OpenTelemetry SDK knows. */
function endpointOf(otlpUrl: string | undefined, env: NonNullable<TelemetryDeps["env"]>): Endpoint {
  if (otlpUrl !== undefined) return { kind: "url", url: tracesUrl(otlpUrl) };
  const { OTEL_SDK_DISABLED, OTEL_TRACES_EXPORTER = "otlp" } = env;
  if (OTEL_SDK_DISABLED?.toLowerCase() === "true" || OTEL_TRACES_EXPORTER !== "otlp") return { kind: "none" };
  const exact = env["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] || undefined;
  const general = env["OTEL_EXPORTER_OTLP_ENDPOINT"] || undefined;
  const url = exact ?? (general === undefined ? undefined : tracesUrl(general));
  if (url === undefined) return { kind: "none" };
  const protocol = env["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"] ?? env["OTEL_EXPORTER_OTLP_PROTOCOL"];
  if (protocol === "grpc") return { kind: "unsupported", problem: "traces are sent over HTTP, not gRPC" };
  return URL.canParse(url)
    ? { kind: "url", url }
    : { kind: "unsupported", problem: "the endpoint is not a URL" };
}

/** The collector's address, with or without the path that traces have there. */
function tracesUrl(base: string): string {
  const trimmed = base.replace(/\/+$/, "");
  return trimmed.endsWith(TRACES_PATH) ? trimmed : `${trimmed}${TRACES_PATH}`;
}

async function openSdk(url: string, serviceName: string, deps: TelemetryDeps): Promise<OpenTelemetry> {
  const [api, sdk, { OTLPTraceExporter }] = await Promise.all([
    import("@opentelemetry/api"),
    import("@opentelemetry/sdk-trace"),
    import("@opentelemetry/exporter-trace-otlp-http"),
  ]);
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: SEND_TIMEOUT_MS });
  const provider = new sdk.TracerProvider({
    resource: resourceOf({ "service.name": serviceName, "service.version": deps.version }),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(deps.sampleRatio) }),
    spanLimits: { attributeValueLengthLimit: TEXT_LENGTH_MAX },
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter: complaining(exporter, deps.log),
        maxQueueSize: WAITING_SPANS_MAX,
        maxExportBatchSize: BATCH_SPANS_MAX,
        scheduledDelayMillis: SEND_EVERY_MS,
        exportTimeoutMillis: SEND_TIMEOUT_MS,
      }),
    ],
  });
  const tracer = provider.getTracer("repertoire", deps.version);
  const parents = createParents(api);
  let closing: Promise<void> | undefined;
  return {
    isOn: true,
    startSpan(name, { kind, attributes, parent }) {
      const options = { kind: SPAN_KINDS[kind], ...(attributes !== undefined && { attributes }) };
      const span = tracer.startSpan(name, options, parents.contextOf(parent));
      const context = parents.remember(span.spanContext(), parent?.baggage);
      return {
        context,
        set: (key, value) => void span.setAttribute(key, value),
        fail: (errorType) =>
          void span.setAttribute("error.type", errorType).setStatus({ code: api.SpanStatusCode.ERROR }),
        end: () => span.end(),
      } satisfies Span;
    },
    close: () =>
      (closing ??= within(
        provider.shutdown().catch(() => {}),
        CLOSE_MS,
      )),
  };
}

/** As the API numbers them. */
const SPAN_KINDS: Readonly<Record<SpanOptions["kind"], number>> = { internal: 0, server: 1, client: 2 };

/** The parts of the SDK that spans of the same process and of others become parents by. */
function createParents(api: typeof Api) {
  /** A context that we made is our own span's; any other came from outside. */
  const own = new WeakMap<TraceContext, Api.SpanContext>();
  return {
    contextOf(parent: TraceContext | undefined): Api.Context {
      if (parent === undefined) return api.ROOT_CONTEXT;
      return api.trace.setSpanContext(api.ROOT_CONTEXT, own.get(parent) ?? remoteContext(parent));
    },
    remember(spanContext: Api.SpanContext, baggage: string | undefined): TraceContext {
      const { traceId, spanId, traceFlags, traceState } = spanContext;
      const tracestate = traceState?.serialize() || undefined;
      const context: TraceContext = {
        traceparent: `00-${traceId}-${spanId}-0${traceFlags & 1}`,
        ...(tracestate !== undefined && { tracestate }),
        ...(baggage !== undefined && { baggage }),
      };
      own.set(context, spanContext);
      return context;
    },
  };

  function remoteContext({ traceparent, tracestate }: TraceContext): Api.SpanContext {
    return {
      traceId: traceparent.slice(3, 35),
      spanId: traceparent.slice(36, 52),
      traceFlags: Number.parseInt(traceparent.slice(53), 16),
      isRemote: true,
      ...(tracestate !== undefined && { traceState: api.createTraceState(tracestate) }),
    };
  }
}

/** The resource that the spans describe. The SDK takes any object of this shape. */
function resourceOf(attributes: Readonly<Record<string, string>>) {
  const resource = {
    attributes,
    merge: () => resource,
    getRawAttributes: () => Object.entries(attributes),
  };
  return resource as never;
}

/** Spans that could not be sent are lost; that is logged now and then. */
function complaining(exporter: SpanExporter, log: Log): SpanExporter {
  let lostSpans = 0;
  let nextComplaintAt = 0;
  const complain = (error: unknown): void => {
    if (performance.now() < nextComplaintAt) return;
    nextComplaintAt = performance.now() + COMPLAIN_EVERY_MS;
    log.warn("telemetry.export.failed", { lostSpans, error });
    lostSpans = 0;
  };
  return {
    export(spans: ReadableSpan[], done) {
      exporter.export(spans, (result) => {
        if (result.error !== undefined) {
          lostSpans += spans.length;
          complain(result.error);
        }
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}
