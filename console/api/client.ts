/** Asks the gateway. Each request is typed by the contract of its route; only the names and paths of routes are in the bundle. */
import type { AnswerOf, BodyOf, ParamsOf, QueryOf } from "../../src/operator/contract/contract.ts";
import { API_PREFIX, CONSOLE_HEADER, ROUTES, type RouteName } from "../../src/operator/routes.ts";
import { ApiError, errorOfBody } from "./api-error.ts";

/** Left out where nothing in it is needed. */
type Part<Key extends string, Value> =
  Record<string, never> extends Value
    ? { readonly [Each in Key]?: Value }
    : { readonly [Each in Key]: Value };

/** What a route takes: `{params: {run}, query: {limit: 50}, body: {…}}`. */
export type AskInput<Name extends RouteName> = Part<"params", ParamsOf<Name>> &
  Part<"query", QueryOf<Name>> &
  Part<"body", BodyOf<Name>>;

export type Answer<Name extends RouteName> = AnswerOf<Name>;

interface Given {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** Resolves with the answer, or rejects with an `ApiError`. */
export async function ask<Name extends RouteName>(
  name: Name,
  input: AskInput<Name>,
  signal?: AbortSignal,
): Promise<Answer<Name>> {
  const given = input as Given;
  const [method] = ROUTES[name];
  const isWrite = method !== "GET";
  const url = urlOf(name, given);
  const known = isWrite ? undefined : answers.get(url);
  const response = await send(url, {
    method,
    credentials: "same-origin",
    headers: {
      accept: "application/json",
      ...(known !== undefined && { "if-none-match": known.tag }),
      ...(isWrite && { [CONSOLE_HEADER]: "1", "content-type": "application/json" }),
    },
    ...(method === "POST" && { body: JSON.stringify(given.body ?? {}) }),
    ...(signal !== undefined && { signal }),
  });
  if (response.status === UNCHANGED && known !== undefined) return known.body as Answer<Name>;
  const body = await readJson(response);
  if (response.ok && !isWrite) keep(url, response, body);
  if (!response.ok) throw new ApiError(response.status, errorOfBody(response.status, body));
  return body as Answer<Name>;
}

const UNCHANGED = 304;
/** What is on screen, and a few screens before it. */
const ANSWERS_MAX = 60;
/** A large answer is fetched again rather than kept twice. */
const KEPT_LENGTH_MAX = 256 * 1024;

/**
 * The last answers with their tags, the oldest first: no cache of the browser keeps them, because they may be private. What
 * has not changed is not sent, read and drawn again.
 */
const answers = new Map<string, { readonly tag: string; readonly body: unknown }>();

function keep(url: string, response: Response, body: unknown): void {
  const tag = response.headers.get("etag");
  answers.delete(url);
  if (tag === null || Number(response.headers.get("content-length")) > KEPT_LENGTH_MAX) return;
  answers.set(url, { tag, body });
  if (answers.size > ANSWERS_MAX) answers.delete(answers.keys().next().value!);
}

/** What a request is on the wire, for a person who is asked before it is sent. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  /** Undefined where nothing is sent but the address. */
  readonly body?: unknown;
}

export function requestOf<Name extends RouteName>(name: Name, input: AskInput<Name>): SentRequest {
  const given = input as Given;
  return {
    method: ROUTES[name][0],
    url: urlOf(name, given),
    ...(given.body !== undefined && { body: given.body }),
  };
}

/** The address of a route, for requests and for what people copy. */
export function urlOf(name: RouteName, { params = {}, query = {} }: Given): string {
  const path = ROUTES[name][1].replaceAll(/:(\w+)/g, (_, key: string) =>
    encodeURIComponent(params[key] ?? ""),
  );
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([key, value]) =>
      value === undefined || value === null || value === "" ? [] : [[key, textOf(value)]],
    ),
  ).toString();
  return `${API_PREFIX}${path}${search === "" ? "" : `?${search}`}`;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    throw new ApiError(0, {
      code: "TOOL_UNAVAILABLE",
      message: "The gateway does not answer.",
      retryable: true,
      hint: "Is it running? Start it with: repertoire serve --http",
    });
  }
}

async function readJson(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return text === "" ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
