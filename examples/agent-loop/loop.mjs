/**
 * An agent loop in the style of Anthropic's SDK, with a gateway in its own process: `getToolDefinitions()` goes into the request,
 * `callTool()` answers every `tool_use`. What the model keeps in one turn is a tool in its next. Run it with
 *
 *   npm run build && node examples/agent-loop/loop.mjs
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGateway } from "../../dist/index.js";
import { createScriptedModel } from "./scripted-model.mjs";

/** A model that never comes to an end must not run up a bill. */
const TURN_COUNT_MAX = 20;

// Where the real client would stand: `new Anthropic().messages.create({ model, max_tokens, tools, messages })`.
const createMessage = createScriptedModel();

const folder = mkdtempSync(join(tmpdir(), "repertoire-loop-"));
const configPath = join(folder, "repertoire.json");
const weather = {
  command: process.execPath,
  args: [join(import.meta.dirname, "../first-capability/weather-server.mjs"), join(folder, "new-release")],
};
writeFileSync(configPath, JSON.stringify({ mcpServers: { weather }, log: { level: "error" } }));
const gateway = await createGateway({ configPath, home: join(folder, "home") });
try {
  console.log(await ask("Do I need an umbrella in Rome, and in Bergen?"));
} finally {
  await gateway.close();
  rmSync(folder, { recursive: true, force: true });
}

async function ask(question) {
  const messages = [{ role: "user", content: question }];
  console.log(`user: ${question}`);
  for (let turn = 0; turn < TURN_COUNT_MAX; turn += 1) {
    const tools = gateway.getToolDefinitions();
    console.log(`tools: ${tools.map((tool) => tool.name).join(", ")}`);
    const message = await createMessage({ model: "claude-sonnet-4-5", max_tokens: 1024, tools, messages });
    messages.push({ role: "assistant", content: message.content });
    if (message.stop_reason !== "tool_use") return `assistant: ${textOf(message)}`;
    const calls = message.content.filter((block) => block.type === "tool_use");
    messages.push({ role: "user", content: await Promise.all(calls.map(answer)) });
  }
  throw new Error(`There is no answer after ${TURN_COUNT_MAX} turns.`);
}

/** A failure is an answer too: the model reads what was wrong and what to do next. */
async function answer({ id, name, input }) {
  console.log(`tool_use: ${name} ${JSON.stringify(input)}`);
  const { content, isError = false } = (await gateway.callTool(name, input)).answer;
  const blocks = content.map(blockOf);
  console.log(`tool_result: ${shorten(textOf({ content: blocks }))}`);
  return { type: "tool_result", tool_use_id: id, content: blocks, is_error: isError };
}

/** A block of MCP as the API takes it: text and images are alike in both, the rest goes as JSON. */
function blockOf(block) {
  if (block.type === "text") return { type: "text", text: block.text };
  if (block.type !== "image") return { type: "text", text: JSON.stringify(block) };
  return { type: "image", source: { type: "base64", media_type: block.mimeType, data: block.data } };
}

function textOf({ content }) {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

function shorten(text) {
  return text.length <= 100 ? text : `${text.slice(0, 100)}…`;
}
