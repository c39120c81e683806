/**
 * An API with an OpenAPI description as a source of tools. Nothing is read before somebody asks: a list that was kept is shown as
 * it is, and the first call reads the description. Each call is one request; it is never made twice.
 */
import type { JsonObject } from "../core/json.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import type {
  CallContext,
  ListKind,
  Offer,
  SourceDescription,
  ToolAnswer,
  ToolDefinition,
  ToolSource,
} from "../core/tool.ts";
import { createAddressPolicy } from "../net/address-policy.ts";
import type { HttpClient } from "../net/http-client.ts";
import { within } from "../timing/deadline.ts";
import { quote } from "../text/quote.ts";
import type { CallPlan } from "./api-description.ts";
import { originOf, type ApiOrigin } from "./api-origin.ts";
import { requestOf } from "./calling/api-request.ts";
import { credentialsFor, NO_CREDENTIALS, unknownSchemes, type ApiAuth } from "./calling/credentials.ts";
import { exchange } from "./calling/exchange.ts";
import { createDescriptionPlace, isAddress, type ReadDescription } from "./description-place.ts";
import type { DescriptionReader } from "./description-reader.ts";

export interface OpenApiConfig {
  readonly id: string;
  /** A path or an address. */
  readonly location: string;
  readonly baseUrl?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly auth: ApiAuth;
  readonly callTimeoutMs: number;
}

export interface OpenApiDeps {
  readonly reader: DescriptionReader;
  readonly version: string;
  /** Takes secrets out of what is listed. */
  readonly mask?: (<T>(value: T) => T) | undefined;
  /** What is wrong with arguments, in words; without it, only what a request cannot be made of is found. */
  readonly check?: CheckArguments | undefined;
}

export type CheckArguments = (schema: JsonObject, args: JsonObject) => Promise<string | undefined>;

/** What became of the description. */
export interface OpenApiStatus {
  readonly state: "idle" | "reading" | "ready" | "failed";
  readonly readMs?: number;
  readonly serverInfo?: JsonObject;
  readonly callCount: number;
  readonly failure?: { readonly at: number; readonly reason: string };
}

export interface OpenApiSource extends ToolSource {
  status(): OpenApiStatus;
}

/** The longest that is believed; a description of megabytes is not fetched more often. */
const REMOTE_TTL_MS = 60 * 60_000;
/** How long a caller waits for a description. */
const READ_WAIT_MS = 60_000;

export function createOpenApiSource(config: OpenApiConfig, deps: OpenApiDeps): OpenApiSource {
  return new OpenApi(config, deps);
}

/** A description that is ready for calls. */
interface Prepared {
  readonly read: ReadDescription;
  readonly tools: ReadonlyMap<string, ToolDefinition>;
  readonly origin: ToolResult<ApiOrigin>;
}

class OpenApi implements OpenApiSource {
  readonly id: string;
  readonly #config: OpenApiConfig;
  readonly #deps: OpenApiDeps;
  readonly #place;
  readonly #userAgent: string;
  readonly #listeners = new Set<(what?: ListKind) => void>();
  #prepared: Prepared | undefined;
  #client: { readonly own: string; readonly made: Promise<HttpClient> } | undefined;
  #failure: OpenApiStatus["failure"];
  #readMs: number | undefined;
  #readingCount = 0;
  #callCount = 0;
  #isClosed = false;

  constructor(config: OpenApiConfig, deps: OpenApiDeps) {
    this.id = config.id;
    this.#config = config;
    this.#deps = deps;
    this.#userAgent = `repertoire/${deps.version}`;
    this.#place = createDescriptionPlace(config.location, {
      reader: deps.reader,
      userAgent: this.#userAgent,
      headers: headersOfDescription(config),
    });
  }

  async list(): Promise<ToolResult<Offer>> {
    if (this.#isClosed) return this.#refuseClosed();
    const prepared = await this.#prepare({ isFresh: true });
    if (!prepared.success) return prepared;
    // Taking over megabytes from the thread was one piece of work; admitting them is the next.
    await new Promise((resolve) => setImmediate(resolve));
    const { read, origin } = prepared.data;
    const { title, about, tools, leftOut, incomplete } = read.description;
    const offer: Offer = {
      about: { ...(title !== undefined && { title }), ...(about !== undefined && { description: about }) },
      self: { serverInfo: serverInfoOf(read) },
      tools,
      leftOut,
      incomplete: [...incomplete, ...this.#findNotes(read, origin)],
      ...(isAddress(this.#config.location) && { ttlMs: REMOTE_TTL_MS }),
    };
    return succeed(this.#deps.mask?.(offer) ?? offer);
  }

  readonly call = async (
    name: string,
    args: JsonObject,
    context: CallContext,
  ): Promise<ToolResult<ToolAnswer>> => {
    if (this.#isClosed) return this.#refuseClosed();
    if (context.signal.aborted) return fail("CANCELLED", "The call was cancelled before it was made.");
    this.#callCount++;
    try {
      return await this.#call(name, args, context);
    } finally {
      this.#callCount--;
    }
  };

  readonly request = async (method: string): Promise<ToolResult<JsonObject>> => {
    if (this.#isClosed) return this.#refuseClosed();
    if (method === "ping") return succeed({});
    return fail(
      "TOOL_NOT_IMPLEMENTED",
      `The server ${this.id} is an API: it has tools, and no ${quote(method)}.`,
    );
  };

  readonly describe = async (): Promise<ToolResult<SourceDescription>> => {
    if (this.#isClosed) return this.#refuseClosed();
    const prepared = await this.#prepare({ isFresh: false });
    if (!prepared.success) return prepared;
    return succeed({ capabilities: { tools: {} }, serverInfo: serverInfoOf(prepared.data.read) });
  };

  changed(listener: (what?: ListKind) => void): () => void {
    this.#listeners.add(listener);
    this.#place.watch(() => this.#tellChanged());
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#place.close();
    (await this.#client?.made)?.close();
  }

  status(): OpenApiStatus {
    const { last } = this.#place;
    return {
      state:
        this.#readingCount > 0 ? "reading" : this.#failure !== undefined ? "failed" : last ? "ready" : "idle",
      callCount: this.#callCount,
      ...(this.#readMs !== undefined && { readMs: this.#readMs }),
      ...(last !== undefined && { serverInfo: serverInfoOf(last) }),
      ...(this.#failure !== undefined && { failure: this.#failure }),
    };
  }

  // ── the description ───────────────────────────────────────────────────────────────────────────────────────────────

  async #prepare(options: { readonly isFresh: boolean }): Promise<ToolResult<Prepared>> {
    const startedAt = performance.now();
    this.#readingCount++;
    const read = await this.#place.read(options).finally(() => this.#readingCount--);
    if (!read.success) {
      const reason = `Its OpenAPI description cannot be used: ${read.error.message}.`;
      this.#failure = { at: Date.now(), reason };
      return { success: false, error: { ...read.error, message: `The server ${this.id}: ${reason}` } };
    }
    this.#failure = undefined;
    if (this.#prepared?.read === read.data) return succeed(this.#prepared);
    this.#readMs = performance.now() - startedAt;
    const { tools } = read.data.description;
    this.#prepared = {
      read: read.data,
      tools: new Map(tools.map((tool) => [tool.name, tool])),
      origin: originOf(this.#config, read.data),
    };
    return succeed(this.#prepared);
  }

  /** For a call: what it reads may be another description than the one that was listed. */
  async #prepareCall(signal: AbortSignal): Promise<ToolResult<Prepared>> {
    const before = this.#prepared;
    const late = () => fail("TOOL_TIMEOUT", `The description of the server ${this.id} was not read in time.`);
    const prepared = await within(this.#prepare({ isFresh: false }), READ_WAIT_MS, { signal, late });
    if (signal.aborted) return fail("CANCELLED", "The call was cancelled before it was made.");
    if (prepared.success && prepared.data !== before) this.#tellChanged();
    return prepared;
  }

  #tellChanged(): void {
    if (this.#isClosed) return;
    for (const listener of this.#listeners) listener("tools");
  }

  #findNotes(read: ReadDescription, origin: ToolResult<ApiOrigin>): string[] {
    const unknown = unknownSchemes(this.#config.auth, read.description.schemes).map((name) => quote(name));
    const known = [...read.description.schemes.keys()].map((name) => quote(name)).join(", ");
    return [
      ...(origin.success ? [] : [`no operation can be called: ${origin.error.message}`]),
      ...(unknown.length === 0
        ? []
        : [
            `"auth" names ${unknown.join(", ")}, and the description has ${known === "" ? "no schemes" : known}`,
          ]),
    ];
  }

  // ── a call ────────────────────────────────────────────────────────────────────────────────────────────────────────

  async #call(name: string, args: JsonObject, context: CallContext): Promise<ToolResult<ToolAnswer>> {
    const prepared = await this.#prepareCall(context.signal);
    if (!prepared.success) return prepared;
    const { read, tools, origin } = prepared.data;
    const plan = read.description.plans.get(name);
    if (plan === undefined)
      return fail("TOOL_NOT_FOUND", `The server ${this.id} has no tool ${quote(name)}.`);
    const problem = await this.#deps.check?.(tools.get(name)!.inputSchema, args);
    if (problem !== undefined)
      return fail("TOOL_INVALID_INPUT", `The arguments are not valid: ${problem}`, {
        reason: "invalid_arguments",
      });
    if (!origin.success) return origin;
    const base = origin.data.baseOf(plan);
    if (!base.success) return base;
    const parts = this.#makingFor(plan, read, origin.data, base.data);
    if (!parts.success) return parts;
    const own = new Map([["user-agent", this.#userAgent], ...idempotencyKey(plan, context)]);
    const request = requestOf(plan, args, { base: base.data, own, ...parts.data });
    if (!request.success) return request;
    const { fetch } = await this.#clientFor(origin.data.own);
    if (this.#isClosed) return this.#refuseClosed();
    return exchange(request.data, context, { server: this.id, fetch, timeoutMs: this.#config.callTimeoutMs });
  }

  /** What goes along of the config: to its own origin everything, to another one nothing. */
  #makingFor(plan: CallPlan, read: ReadDescription, origin: ApiOrigin, base: URL) {
    const { auth, headers } = this.#config;
    const { schemes } = read.description;
    const isOwn = origin.isOwn(base);
    const hasCredentials = Object.keys(auth).length + Object.keys(headers).length > 0;
    if (!isOwn && hasCredentials) return this.#refuseForeign(base, origin.own);
    const credentials = credentialsFor(plan.security, { server: this.id, auth, headers, schemes });
    if (!credentials.success) return credentials;
    return succeed({ credentials: isOwn ? credentials.data : NO_CREDENTIALS, headers: isOwn ? headers : {} });
  }

  #refuseForeign(base: URL, own: URL): ToolResult<never> {
    const message =
      `The operation goes to ${base.origin}, and the login and headers of the server ${this.id} are for ${own.origin}. ` +
      "Nothing was sent.";
    return fail("SECURITY_ERROR", message, {
      hint: `If ${base.origin} is right, ask the user to set it as "baseUrl" of a server in the config.`,
    });
  }

  /** One client for each origin: how near the API is decides what it may lead to. */
  async #clientFor(own: URL): Promise<HttpClient> {
    if (this.#client?.own !== own.href) {
      void this.#client?.made.then((client) => client.close());
      const made = import("../net/http-client.ts").then(({ createHttpClient }) =>
        createHttpClient({ policy: createAddressPolicy(own) }),
      );
      this.#client = { own: own.href, made };
    }
    return this.#client.made;
  }

  #refuseClosed(): ToolResult<never> {
    return fail("TOOL_UNAVAILABLE", `The server ${this.id} was stopped.`);
  }
}

/** The headers of the config are for the API: the place of the description gets them where it is the API's own. */
function headersOfDescription({
  location,
  baseUrl,
  headers,
}: OpenApiConfig): Readonly<Record<string, string>> {
  if (!isAddress(location)) return {};
  const isOwn = baseUrl === undefined || URL.parse(baseUrl)?.origin === URL.parse(location)?.origin;
  return isOwn ? headers : {};
}

function serverInfoOf({ description: { title, version } }: ReadDescription): JsonObject {
  return { ...(title !== undefined && { name: title }), ...(version !== undefined && { version }) };
}

/** It makes a step that is sent twice one effect, where the API knows it. */
function idempotencyKey({ method }: CallPlan, { meta }: CallContext): [string, string][] {
  const key = meta?.["repertoire/idempotencyKey"];
  const isUseful = method === "POST" || method === "PATCH";
  return isUseful && typeof key === "string" && /^[\x21-\x7e]{1,200}$/.test(key)
    ? [["idempotency-key", key]]
    : [];
}
