/**
 * A program with tools of its own. They stand in the gateway beside those of servers: code uses both, what works is kept as a
 * tool, rules decide on them, and a run that failed goes on without doing anything twice. Run it with
 *
 *   npm run build && node examples/program-tools/shop.mjs
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGateway } from "../../dist/index.js";

const ORDERS = [
  { id: "A1", article: "kettle", amount: 40, daysLate: 0 },
  { id: "A2", article: "lamp", amount: 25, daysLate: 6 },
  { id: "A3", article: "desk", amount: 300, daysLate: 9 },
];
const refunds = [];
/** The bank closes after so many refunds. */
let refundsMax = 2;

const findOrders = {
  name: "find_orders",
  description: "Finds the orders of the shop that are late by some days or more.",
  inputSchema: { type: "object", properties: { days: { type: "integer", minimum: 0, default: 0 } } },
  outputSchema: {
    type: "object",
    properties: {
      orders: {
        type: "array",
        items: {
          type: "object",
          properties: { id: { type: "string" }, amount: { type: "number" }, daysLate: { type: "integer" } },
          required: ["id", "amount", "daysLate"],
        },
      },
    },
    required: ["orders"],
  },
  annotations: { readOnlyHint: true },
  metadata: { category: "shop" },
  call: ({ days }) => ({ orders: ORDERS.filter(({ daysLate }) => daysLate >= days) }),
};

const refund = {
  name: "refund",
  description: "Pays an amount back for an order.",
  inputSchema: {
    type: "object",
    properties: { id: { type: "string" }, amount: { type: "number", exclusiveMinimum: 0 } },
    required: ["id", "amount"],
  },
  timeoutMs: 10_000,
  async call({ id, amount }, { onProgress }) {
    onProgress({ progress: 1, total: 2, message: `asking the bank for ${amount}` });
    if (refunds.length === refundsMax) throw new Error("The bank is closed.");
    refunds.push(id);
    return { refunded: id };
  },
};

const folder = mkdtempSync(join(tmpdir(), "repertoire-shop-"));
const configPath = join(folder, "repertoire.json");
const notes = {
  command: process.execPath,
  args: [join(import.meta.dirname, "../first-minute/notes-server.mjs"), join(folder, "notes.txt")],
};
const rules = [{ tool: "refund", when: "args.amount > 100", do: "refuse", why: "a person pays so much" }];
writeFileSync(configPath, JSON.stringify({ mcpServers: { notes }, rules, log: { level: "error" } }));
const gateway = await createGateway({
  configPath,
  home: join(folder, "home"),
  tools: [findOrders, refund],
});
try {
  await tellStory();
} finally {
  await gateway.close();
  rmSync(folder, { recursive: true, force: true });
}

async function tellStory() {
  const { nodes } = await call("browse_components", { query: "which orders are late" });
  console.log(`found: ${nodes[0].signature}`);

  const listLate = `const { orders } = await mcp.program.find_orders({ days: args.days });
for (const { id, daysLate } of orders) await mcp.notes.add({ text: id + " is late by " + daysLate + " days" });
return { late: orders.map(({ id }) => id) };`;
  await call("execute", { code: listLate, inputs: { days: 7 }, save_as: "shop:note_late" });
  const { late } = await call("mcp__shop__note_late", { days: 5 });
  console.log(`kept as a tool, it says: ${late.join(", ")}`);

  const refused = await gateway.callTool("refund", { id: "A3", amount: 300 });
  console.log(`refund of 300: ${refused.error.message}`);

  const onProgress = ({ message }) => console.log(`progress: ${message}`);
  await gateway.callTool("refund", { id: "A1", amount: 5 }, { onProgress });

  const payBack = `await mcp.program.refund({ id: "A2", amount: 25 });
await mcp.program.refund({ id: "A3", amount: 50 });
return "paid";`;
  const failed = await gateway.callTool("execute", { code: payBack });
  console.log(`run: ${failed.error.message}`);
  refundsMax = 10;
  const { outputs } = await call("execute", { resume: "last" });
  console.log(`resumed: ${outputs}; refunds made: ${refunds.join(", ")}`);
}

/** A result, where nothing may go wrong. */
async function call(name, args) {
  const result = await gateway.callTool(name, args);
  if (!result.success) throw new Error(result.error.message);
  return result.data;
}
