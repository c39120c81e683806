/**
 * A well-behaved MCP server on the SDK, with one of everything that a gateway has to relay, in both eras over stdio:
 *
 *     node test/rig/everything-modern.ts
 *
 * A tool that needs something from the client returns `inputRequired`: a modern client gets it as it is, and for a legacy
 * client the SDK makes the request and enters the handler again. So each such tool is written once.
 */
import { setTimeout as sleep } from "node:timers/promises";
import {
  completable,
  inputRequired,
  inputResponse,
  McpServer,
  ResourceTemplate,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import * as z from "zod/v4";

const CITIES = ["Berlin", "Bern", "Lisbon"];
const CLOCK_URI = "rig://clock";

function text(value: string) {
  return { content: [{ type: "text" as const, text: value }] };
}

function createEverything(): McpServer {
  const server = new McpServer(
    { name: "everything-modern", version: "1.0.0" },
    {
      instructions: "A fixture of the test rig.",
      capabilities: {
        tools: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        prompts: { listChanged: true },
        completions: {},
        logging: {},
      },
      cacheHints: { "tools/list": { ttlMs: 5_000, cacheScope: "public" } },
    },
  );
  addPlainTools(server);
  addAskingTools(server);
  addChangingTools(server);
  addResources(server);
  addPrompts(server);
  return server;
}

function addPlainTools(server: McpServer): void {
  server.registerTool(
    "echo",
    {
      title: "Echo",
      description: "Answers with its text.",
      inputSchema: z.object({ text: z.string() }),
      outputSchema: z.object({ text: z.string() }),
      annotations: { readOnlyHint: true },
      _meta: { "rig/marker": "kept" },
    },
    (args) => ({ ...text(args.text), structuredContent: { text: args.text } }),
  );
  server.registerTool(
    "add",
    {
      description: "Adds two numbers.",
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
      annotations: { readOnlyHint: true, idempotentHint: true },
    },
    ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } }),
  );
  server.registerTool(
    "slow",
    {
      description: "Takes its time in steps, reports progress, and stops when it is cancelled.",
      inputSchema: z.object({
        ms: z.number().max(60_000),
        steps: z.number().int().min(1).max(100).default(4),
      }),
    },
    async ({ ms, steps }, ctx) => {
      for (let step = 1; step <= steps; step++) {
        try {
          await sleep(ms / steps, undefined, { signal: ctx.mcpReq.signal });
        } catch (error) {
          // The only trace that a cancelled call leaves: nobody reads its result.
          console.error(`slow: cancelled in step ${step}`);
          throw error;
        }
        await reportProgress(ctx, step, steps);
      }
      return text(`slept ${ms} ms`);
    },
  );
  server.registerTool("fail", { inputSchema: z.object({ message: z.string() }) }, ({ message }) => ({
    ...text(message),
    isError: true,
  }));
  server.registerTool("log", { inputSchema: z.object({ message: z.string() }) }, async ({ message }, ctx) => {
    await ctx.mcpReq.log("warning", { message }, "rig");
    return text("logged");
  });
}

async function reportProgress(ctx: ServerContext, progress: number, total: number): Promise<void> {
  const progressToken = ctx.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return;
  const params = { progressToken, progress, total, message: `step ${progress}` };
  await ctx.mcpReq.notify({ method: "notifications/progress", params });
}

function addAskingTools(server: McpServer): void {
  const confirmation = z.object({ confirm: z.boolean() });
  server.registerTool("confirm", { inputSchema: z.object({ question: z.string() }) }, ({ question }, ctx) => {
    const answer = inputResponse(ctx.mcpReq.inputResponses, "answer");
    if (answer.kind === "elicit") return text(`${answer.action} ${JSON.stringify(answer.content ?? null)}`);
    const ask = inputRequired.elicit({ message: question, requestedSchema: confirmation });
    return inputRequired({ inputRequests: { answer: ask }, requestState: `asked ${question}` });
  });
  server.registerTool("ask_model", { inputSchema: z.object({ prompt: z.string() }) }, ({ prompt }, ctx) => {
    const answer = inputResponse(ctx.mcpReq.inputResponses, "answer");
    if (answer.kind === "sampling") return text(JSON.stringify(answer.result.content));
    const messages = [{ role: "user" as const, content: { type: "text" as const, text: prompt } }];
    const ask = inputRequired.createMessage({ messages, maxTokens: 100 });
    return inputRequired({ inputRequests: { answer: ask } });
  });
  server.registerTool("list_roots", {}, (ctx) => {
    const answer = inputResponse(ctx.mcpReq.inputResponses, "roots");
    if (answer.kind === "roots") return text(answer.roots.map((root) => root.uri).join(" "));
    return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } });
  });
}

function addChangingTools(server: McpServer): void {
  let grownCount = 0;
  server.registerTool("grow", { description: "Adds a tool and says so." }, () => {
    const name = `grown_${++grownCount}`;
    // Registering on a connected server sends tools/list_changed.
    server.registerTool(name, { description: "Was not there before." }, () => text(name));
    return text(name);
  });
  // On the modern path the SDK itself keeps who listens to what; this set is the legacy one.
  const subscribed = new Set<string>();
  server.server.setRequestHandler("resources/subscribe", ({ params }) => {
    subscribed.add(params.uri);
    return {};
  });
  server.server.setRequestHandler("resources/unsubscribe", ({ params }) => {
    subscribed.delete(params.uri);
    return {};
  });
  server.registerTool("tick", { description: `Announces a change of ${CLOCK_URI}.` }, async (ctx) => {
    const modern = ctx.mcpReq.envelope !== undefined;
    if (modern || subscribed.has(CLOCK_URI)) await server.server.sendResourceUpdated({ uri: CLOCK_URI });
    return text("ticked");
  });
}

function addResources(server: McpServer): void {
  server.registerResource("clock", CLOCK_URI, { mimeType: "text/plain" }, (uri) => ({
    contents: [{ uri: uri.href, mimeType: "text/plain", text: "noon" }],
  }));
  server.registerResource("bytes", "rig://bytes", { mimeType: "application/octet-stream" }, (uri) => ({
    contents: [{ uri: uri.href, mimeType: "application/octet-stream", blob: "AAEC/w==" }],
  }));
  const weather = new ResourceTemplate("rig://weather/{city}", {
    list: () => ({
      resources: CITIES.map((city) => ({ uri: `rig://weather/${city}`, name: `weather in ${city}` })),
    }),
    complete: { city: citiesThatStart },
  });
  server.registerResource("weather", weather, { mimeType: "text/plain" }, (uri, { city }) => ({
    contents: [{ uri: uri.href, mimeType: "text/plain", text: `sunny in ${String(city)}` }],
  }));
}

function addPrompts(server: McpServer): void {
  const argsSchema = z.object({
    city: completable(z.string().describe("Where to"), citiesThatStart),
    days: z.string().optional(),
  });
  server.registerPrompt("travel", { description: "Plans a journey.", argsSchema }, ({ city, days }) => ({
    messages: [{ role: "user", content: { type: "text", text: `Plan ${days ?? "some"} days in ${city}.` } }],
  }));
}

function citiesThatStart(value: string): string[] {
  return CITIES.filter((city) => city.toLowerCase().startsWith(value.toLowerCase()));
}

serveStdio(createEverything, { onerror: (error) => console.error(error.message) });
