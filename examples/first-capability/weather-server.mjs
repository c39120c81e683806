/**
 * An MCP server in one file: JSON-RPC, one message in each line. It has one tool, and a new release of it: once the file
 * that it is given exists, `forecast` wants to be told the units as well.
 */
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";

const [, , releaseFile] = process.argv;
const DEGREES = { Rome: [24, 26, 22], Bergen: [12, 11, 13] };

function forecastTool() {
  const isNew = existsSync(releaseFile);
  const units = { type: "string", enum: ["celsius", "fahrenheit"], description: "Of the degrees." };
  return {
    name: "forecast",
    description: "The weather of the next days in a city.",
    inputSchema: {
      type: "object",
      properties: {
        city: { type: "string", description: "Its English name." },
        days: { type: "integer", minimum: 1, maximum: 3 },
        ...(isNew && { units }),
      },
      required: ["city", "days", ...(isNew ? ["units"] : [])],
    },
    outputSchema: {
      type: "object",
      properties: {
        days: {
          type: "array",
          items: {
            type: "object",
            properties: { degrees: { type: "number" }, rain: { type: "boolean" } },
            required: ["degrees", "rain"],
          },
        },
      },
      required: ["days"],
    },
    annotations: { readOnlyHint: true, openWorldHint: true },
  };
}

function forecast({ city, days, units }) {
  const degrees = (DEGREES[city] ?? [20, 20, 20]).slice(0, days);
  const shown = units === "fahrenheit" ? degrees.map((each) => (each * 9) / 5 + 32) : degrees;
  const sky = { days: shown.map((each) => ({ degrees: each, rain: city === "Bergen" })) };
  return { content: [{ type: "text", text: JSON.stringify(sky) }], structuredContent: sky };
}

const METHODS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "weather", version: "1.0.0" },
  }),
  ping: () => ({}),
  "tools/list": () => ({ tools: [forecastTool()] }),
  "tools/call": ({ arguments: args }) => forecast(args),
};

function answer(id, message) {
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...message }));
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const handle = METHODS[method];
  if (handle === undefined) answer(id, { error: { code: -32601, message: `There is no ${method}.` } });
  else answer(id, { result: handle(params ?? {}) });
}
