import * as z from "zod";
import { endpoint, isoTime } from "./endpoint.ts";

/** Who looks, and what they may do. */
const sessionView = z.object({
  id: z.string().describe("The principal, such as token:default."),
  name: z.string(),
  scopes: z.array(z.enum(["read", "call", "write", "admin"])),
  profile: z.string().nullable().describe("The profile through which it looks; null for the whole gateway."),
  limited: z.boolean().describe("Whether it sees only its own runs and calls."),
  version: z.string(),
  expires_at: isoTime.nullable().describe("When the session ends; null for a token."),
  may_add_programs: z.boolean().describe("Whether servers that are programs can be added from here."),
});

export const sessionEndpoints = {
  getSession: endpoint({
    summary: "Who looks, and what they may do",
    permission: "read",
    shows: "own",
    answer: sessionView,
  }),
  openSession: endpoint({
    summary: "Turn a one-time link of `repertoire console` into a session",
    permission: "public",
    shows: "own",
    body: z.strictObject({ link: z.string().max(4_096) }),
    answer: sessionView,
  }),
  closeSession: endpoint({
    summary: "End the session, also in other tabs",
    permission: "public",
    shows: "own",
    answer: z.object({ closed: z.boolean() }),
  }),
  getOpenApi: endpoint({
    summary: "This API as an OpenAPI document",
    permission: "read",
    shows: "own",
    answer: z.looseObject({ openapi: z.string() }),
  }),
};
