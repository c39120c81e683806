/**
 * A line of the log for a person at a terminal: `12:03:04 info  github started (pid 1234, 0.8 s)`. It is made from the
 * line of JSON, so the two never differ; an event without a sentence of its own is its name and its
 * fields.
 */
import { isJsonObject, parseJson, type Json, type JsonObject } from "../core/json.ts";
import { escapeUnprintable } from "../text/printable.ts";
import { cut } from "../text/cut.ts";

/** Ends up on a terminal: longer values are in the line of JSON. */
const VALUE_LENGTH_MAX = 200;
const STACK_LINES_MAX = 12;
const LEVEL_WIDTH = 5;

type Paint = (level: string, text: string) => string;
type Tell = (fields: JsonObject) => string;

/** Takes a line as pino writes it, redacted; nothing that it returns steers a terminal. */
export function textLineOf(json: string, paint: Paint = (_, text) => text): string {
  const parsed = parseJson(json);
  if (!parsed.ok || !isJsonObject(parsed.value)) return `${escapeUnprintable(json.trimEnd())}\n`;
  const { level, time, event, ...fields } = parsed.value;
  const word = textOf(level);
  const head = `${clockTimeOf(textOf(time))} ${paint(word, word.padEnd(LEVEL_WIDTH))}`;
  const told = escapeUnprintable(tell(textOf(event), fields));
  const stack = word === "error" ? stackOf(fields["error"]) : [];
  return [`${head} ${told}`, ...stack.map((line) => `    ${escapeUnprintable(line)}`), ""].join("\n");
}

function tell(event: string, fields: JsonObject): string {
  const sentence = SENTENCES[event]?.(fields);
  if (sentence !== undefined) return sentence;
  const rest = Object.entries(fields).filter(([name]) => name !== "traceId");
  return [event, ...rest.map(([name, value]) => `${name}=${shortOf(value)}`)].join(" ");
}

/** What a person sees most. A trace id is for a program that joins lines. */
const SENTENCES: Readonly<Record<string, Tell>> = {
  "gateway.started": ({ home }) => `gateway started, home ${textOf(home)}`,
  "gateway.stopped": ({ exitCode }) => `gateway stopped with exit code ${textOf(exitCode)}`,
  "config.warning": ({ problem }) => `config: ${textOf(problem)}`,
  "config.reloaded": ({ servers }) => `config reloaded: ${listOf(servers)}`,
  "config.reload.failed": ({ problems }) =>
    `config not reloaded, the last valid one stays in use: ${listOf(problems, "; ")}`,
  "server.unusable": ({ server, problems }) => `${textOf(server)} is not usable: ${listOf(problems, "; ")}`,
  "upstream.connected": ({ server, pid, connectMs }) =>
    `${textOf(server)} started${inBrackets([pid === undefined ? "" : `pid ${textOf(pid)}`, secondsOf(connectMs)])}`,
  "isolation.refused": ({ server, host, why }) =>
    `${server === undefined ? "a sandboxed server" : textOf(server)} may not reach ${textOf(host)}: ${textOf(why)}`,
  "upstream.failed": ({ server, reason, stderr }) => {
    const last = Array.isArray(stderr) ? stderr.at(-1) : undefined;
    return `${textOf(server)} failed: ${textOf(reason)}${last === undefined ? "" : `. It said: ${textOf(last)}`}`;
  },
  "tools.discovery.server.success": ({ serverName, toolCount }) =>
    `${textOf(serverName)} lists ${textOf(toolCount)} tools`,
  "tools.discovery.server.failed": ({ serverName, errorMessage }) =>
    `${textOf(serverName)} did not list its tools: ${textOf(errorMessage)}`,
  "run.finished": ({ runId, success, callCount }) =>
    `run ${textOf(runId)} ${success === true ? "succeeded" : "did not succeed"}, tool calls: ${textOf(callCount)}`,
  "http.request": ({ method, route, status, elapsedMs, mcpMethod, tool, outcome, principal }) =>
    [method, route, status, `${textOf(elapsedMs)} ms`, mcpMethod, tool, outcome, principal]
      .filter((part) => part !== undefined)
      .map(textOf)
      .join(" "),
};

function inBrackets(parts: readonly string[]): string {
  const given = parts.filter((part) => part !== "");
  return given.length === 0 ? "" : ` (${given.join(", ")})`;
}

function secondsOf(ms: Json | undefined): string {
  return typeof ms === "number" ? `${(ms / 1000).toFixed(1)} s` : "";
}

function listOf(value: Json | undefined, separator = ", "): string {
  return Array.isArray(value) ? value.map(textOf).join(separator) : textOf(value);
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** An error is what it says; anything longer than a line is cut. */
function shortOf(value: Json): string {
  const text =
    isJsonObject(value) && typeof value["message"] === "string"
      ? JSON.stringify(value["message"])
      : JSON.stringify(value);
  return cut(text, VALUE_LENGTH_MAX);
}

/** Where an error came from: its first lines, without the message, which is printed already. */
function stackOf(error: Json | undefined): string[] {
  const stack = isJsonObject(error) && typeof error["stack"] === "string" ? error["stack"] : "";
  return stack
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line.startsWith("at "))
    .slice(0, STACK_LINES_MAX);
}

/** In local time. */
function clockTimeOf(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return "--:--:--";
  return [at.getHours(), at.getMinutes(), at.getSeconds()]
    .map((part) => String(part).padStart(2, "0"))
    .join(":");
}
