/**
 * What an endpoint of the API promises: who may ask, what it takes and what it answers. The types of handlers and of the
 * console, the check of what comes in, and the OpenAPI file are all made from it.
 */
import * as z from "zod";
import type { Permission } from "../../core/principal.ts";
import type { Topic } from "../routes.ts";

export interface Endpoint<
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodObject = z.ZodObject,
  Answer extends z.ZodType = z.ZodType,
> {
  readonly summary: string;
  /** `public` is for callers that nobody knows yet. */
  readonly permission: Permission | "public";
  /**
   * `own`: what it shows is narrowed to what the caller may see. `whole`: it is about the gateway as a whole, and refused to
   * a token that is limited to profiles, effects or tools.
   */
  readonly shows: "own" | "whole";
  readonly query: Query;
  readonly body: Body;
  readonly answer: Answer;
  /** The command that prints the same JSON, as its words; without one, there is none. */
  readonly twin?: string;
  /** What an answer goes stale with. */
  readonly topics?: readonly Topic[];
}

type Given<Query extends z.ZodObject, Body extends z.ZodObject, Answer extends z.ZodType> = Omit<
  Endpoint<Query, Body, Answer>,
  "query" | "body"
> & { readonly query?: Query; readonly body?: Body };

const NOTHING = z.strictObject({});
type Nothing = typeof NOTHING;

export function endpoint<
  Answer extends z.ZodType,
  Query extends z.ZodObject = Nothing,
  Body extends z.ZodObject = Nothing,
>(given: Given<Query, Body, Answer>): Endpoint<Query, Body, Answer> {
  return { query: NOTHING as never, body: NOTHING as never, ...given };
}

/** How many a page has at most, where nothing else is said. */
const PAGE_MAX = 500;

export const pageLimit = (usual: number, max: number = PAGE_MAX) =>
  z.coerce.number().int().min(1).max(max).default(usual);

/** Of a list: give it back as `before` for the next page. */
export const cursor = z.string().max(200);

export const isoTime = z.string();
export const json = z.unknown();
export const jsonObject = z.record(z.string(), z.unknown());

/** `true` or `false` in a query. */
export const flag = z
  .enum(["true", "false"])
  .default("false")
  .transform((word) => word === "true");

export const errorView = z.looseObject({
  code: z.string(),
  message: z.string(),
  reason: z.string().optional(),
});
