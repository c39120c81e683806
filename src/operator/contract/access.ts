import * as z from "zod";
import { endpoint, isoTime, json, jsonObject } from "./endpoint.ts";
import { explainedCall } from "./tools.ts";

/** As `repertoire token list --json` has it. */
const tokenView = z.object({
  name: z.string(),
  scopes: z.array(z.string()),
  profiles: z.array(z.string()).optional(),
  effects: z.array(z.string()).optional(),
  tools: z.array(z.string()).optional(),
  expires_at: isoTime.optional(),
  expired: z.literal(true).optional(),
  created_at: isoTime,
  last_used_at: isoTime.nullable(),
});

const newToken = z.looseObject({ name: z.string(), scopes: z.array(z.string()), token: z.string() });

export const accessEndpoints = {
  listTokens: endpoint({
    summary: "The tokens: scopes, limits, expiry, last use",
    permission: "admin",
    shows: "whole",
    twin: "token list",
    topics: ["access"],
    answer: z.object({ tokens: z.array(tokenView) }),
  }),
  getToken: endpoint({
    summary: "What a token can do: each tool, its effect and which rule decides",
    permission: "admin",
    shows: "whole",
    twin: "token show <token>",
    topics: ["access", "servers", "library"],
    answer: tokenView.extend({
      reach: z.array(
        z.looseObject({
          profile: z.string().nullable(),
          tools: z.array(
            z.looseObject({
              name: z.string(),
              server: z.string(),
              effect: z.string(),
              do: z.enum(["allow", "ask", "refuse"]),
              rule: z.looseObject({ name: z.string(), why: z.string().optional() }),
            }),
          ),
          pending: z.array(z.string()),
        }),
      ),
    }),
  }),
  createToken: endpoint({
    summary: "Create a token; its text is in this answer and nowhere else",
    permission: "admin",
    shows: "whole",
    twin: "token create <name>",
    body: z.strictObject({
      name: z.string().max(100),
      scopes: z.array(z.enum(["read", "call", "write", "admin"])).default(["read", "call"]),
      profiles: z.array(z.string()).optional(),
      effects: z.array(z.enum(["read", "write", "destroy"])).optional(),
      tools: z.array(z.string()).optional(),
      expires_at: z.string().max(40).optional(),
    }),
    answer: newToken,
  }),
  revokeToken: endpoint({
    summary: "Revoke a token at once",
    permission: "admin",
    shows: "whole",
    twin: "token revoke <token>",
    answer: z.object({ revoked: z.string() }),
  }),
  rotateToken: endpoint({
    summary: "Replace a token by a new one with the same scopes and limits",
    permission: "admin",
    shows: "whole",
    twin: "token rotate <token>",
    answer: newToken,
  }),
  listProfiles: endpoint({
    summary: "The profiles of the config, as they are written",
    permission: "admin",
    shows: "whole",
    topics: ["access"],
    answer: z.object({
      profiles: z.array(z.looseObject({ name: z.string(), url: z.string(), rules: json })),
    }),
  }),
  listRules: endpoint({
    summary: "The rules that decide on calls, in their order",
    permission: "read",
    shows: "whole",
    twin: "rules",
    topics: ["access"],
    answer: z.object({
      trust: z.string(),
      rules: z.array(
        z.looseObject({ rule: z.string(), id: z.string(), do: z.string(), why: z.string().optional() }),
      ),
    }),
  }),
  explainCall: endpoint({
    summary: "Which rule decides on a call, and why; nothing is called",
    permission: "read",
    shows: "whole",
    twin: "rules explain <tool>",
    body: z.strictObject({
      tool: z.string().max(500),
      args: jsonObject.default({}),
      who: z.array(z.string().max(300)).default([]),
      profile: z.string().max(100).optional(),
    }),
    answer: explainedCall,
  }),
};
