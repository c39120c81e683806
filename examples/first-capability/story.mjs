/**
 * The life of a capability, on real processes in a temporary home: found, run, kept, called by another client in another
 * gateway, broken by a new release of a server, corrected, tested. Run it with
 *
 *   npm run build && node examples/first-capability/story.mjs
 */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const BIN = join(import.meta.dirname, "../../dist/main.js");
const WEATHER = join(import.meta.dirname, "weather-server.mjs");

const folder = mkdtempSync(join(tmpdir(), "repertoire-story-"));
const home = join(folder, "home");
const releaseFile = join(folder, "new-release");
const config = join(folder, "repertoire.json");
const weather = { command: process.execPath, args: [WEATHER, releaseFile] };
writeFileSync(config, JSON.stringify({ mcpServers: { weather }, exposure: "lean" }));
const SHARED = ["--home", home, "--config", config, "--log-level", "error"];

const CODE = `const { days } = await mcp.weather.forecast({ city: args.city, days: 3 });
return { umbrella: days.some((day) => day.rain), warmest: Math.max(...days.map((day) => day.degrees)) };`;
const CORRECTED = CODE.replace("days: 3 }", "days: 3, units: args.units ?? 'celsius' }");
const DESCRIPTION = "Says whether to pack an umbrella, and the highest temperature of the next days.";

const open = new Set();
let chapter = 0;
const interrupted = Promise.withResolvers();
for (const signal of ["SIGINT", "SIGTERM"])
  process.once(signal, () => interrupted.reject(new Error(`Ended by ${signal}.`)));
try {
  await Promise.race([tell(), interrupted.promise]);
} finally {
  await Promise.all([...open].map((client) => client.close()));
  rmSync(folder, { recursive: true, force: true });
}

async function tell() {
  title("An agent looks for tools");
  const cursor = await connect("cursor");
  const { nodes } = await call(cursor, "browse_components", { query: "weather in a city" });
  for (const { signature } of nodes) say(signature);

  title("It runs code against them");
  say(CODE);
  const run = await call(cursor, "execute", { inputs: { city: "Rome" }, intent: "Pack for a trip" }, CODE);
  say(JSON.stringify(run.outputs));

  title("It worked, so it is kept");
  const kept = await keep(cursor, run.draft);
  say(`tool             ${kept.tool}, version ${kept.version}`);
  say(`input schema     ${JSON.stringify(kept.input_schema)}`);
  for (const { parameter, value, line, column } of kept.possible_inputs)
    say(`possible input   ${parameter} = ${value} (line ${line}, column ${column})`);

  title("Another client, with a gateway process of its own, has it at once");
  const claude = await connect("claude");
  const { tools } = await claude.listTools();
  for (const { name, annotations } of tools.filter((tool) => tool.name.startsWith("mcp__")))
    say(`${name}  readOnlyHint: ${annotations?.readOnlyHint}`);
  say(JSON.stringify(await call(claude, kept.tool, { city: "Bergen" })));

  title("A new release of the server wants one argument more");
  await leave(cursor, claude);
  writeFileSync(releaseFile, "");
  await repertoire("servers", "--check");

  title("The library knows what that breaks, before anybody calls it");
  const later = await connect("cursor");
  const { items } = await call(later, "list_library", {});
  for (const { name, changed_tools: changed } of items) say(`${name} uses ${changed}, which changed`);
  const now = await call(later, "describe_workflow", { name: "trip:pack" });
  for (const { tool, state, changes } of now.tools_used) say(`${tool}: ${state}: ${changes.join("; ")}`);
  say(`still valid: ${now.still_valid}: ${now.problem}`);

  title("Corrected, it is version 2; version 1 stays");
  const again = await call(later, "execute", { inputs: { city: "Rome" }, intent: "Pack again" }, CORRECTED);
  const second = await keep(later, again.draft, { overwrite: true });
  say(`tool             ${second.tool}, version ${second.version}`);
  say(JSON.stringify(await call(later, second.tool, { city: "Bergen", units: "fahrenheit" })));
  await leave(later);
  say(await repertoire("history", "trip:pack"));

  title("The run that it was kept from is its test; no server is needed, or even configured");
  writeFileSync(config, "{}");
  say(await repertoire("test"));
}

/** A client with a gateway of its own; all gateways here share one home. */
async function connect(name) {
  const client = new Client({ name, version: "1.0.0" });
  const transport = new StdioClientTransport({ command: process.execPath, args: [BIN, "serve", ...SHARED] });
  open.add(client);
  await client.connect(transport);
  say(`The client ${name} has started a gateway: process ${transport.pid}.`);
  return client;
}

async function leave(...clients) {
  for (const client of clients) {
    open.delete(client);
    await client.close();
  }
}

/** Calls a tool as a client does, and shows the call; code is shown apart. */
async function call(client, name, args, code) {
  const request = code === undefined ? args : { ...args, code };
  const { structuredContent, content, isError } = await client.callTool({ name, arguments: request });
  if (isError) throw new Error(`${name}: ${content[0].text}`);
  say(`> ${name} ${JSON.stringify(args)}`);
  return structuredContent;
}

function keep(client, draft, more = {}) {
  const request = { draft_name: draft, final_name: "trip:pack", description: DESCRIPTION, ...more };
  return call(client, "save_to_library", request);
}

/** The command line on the same home. */
async function repertoire(...args) {
  say(`$ repertoire ${args.join(" ")}`);
  const { stdout } = await promisify(execFile)(process.execPath, [BIN, ...args, ...SHARED]);
  return stdout.trimEnd();
}

function title(text) {
  chapter += 1;
  console.log(`${chapter === 1 ? "" : "\n"}${chapter}. ${text}`);
}

function say(text) {
  for (const line of text.split("\n")) console.log(`   ${line}`);
}
