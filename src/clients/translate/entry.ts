/**
 * An entry of a client → an entry of ours. What a client says is kept; what our config cannot express is named in a
 * note. Nothing that a client was told to allow without asking is taken over.
 */
import type { Json, JsonObject } from "../../core/json.ts";
import {
  ALLOW_KEYS,
  APPROVAL_KEYS,
  DENY_KEYS,
  readTransportType,
  SILENT_KEYS,
  START_TIMEOUT_KEYS,
  startTimeoutMsOf,
  timeoutMsOf,
  toolNamesIn,
  TRANSPORT_KEYS,
} from "../../config/entries/client-keys.ts";
import { quoteKey } from "../../config/problem.ts";
import { asObject } from "../../config/entries/server-check.ts";
import type { ClientId, ClientPlace } from "../client.ts";
import { createFields, scalarTexts, type Fields, type EntryContext } from "./entry-fields.ts";
import { findBridged, type CommandLine } from "./mcp-remote.ts";
import { bridgedEntry, remoteEntry } from "./remote-entry.ts";
import { programEntry } from "./program-entry.ts";
import { readSandbox } from "./sandbox-rules.ts";
import { createRewriting } from "./variables.ts";
import type { WrittenServer } from "../read/written-server.ts";

export interface Translation {
  /** Empty where it is no server. */
  readonly entry: JsonObject;
  readonly isEnabled: boolean;
  readonly notes: readonly string[];
  readonly inputIds: readonly string[];
}

export function translateEntry(
  written: WrittenServer,
  { client, place }: { client: ClientId; place: ClientPlace },
): Translation {
  const object = asObject(written.value);
  if (object === undefined) return refuse("It is not an object.");
  const rewriting = createRewriting({ client, place, folder: written.folder });
  const fields = createFields(object, rewriting.note);
  const context: EntryContext = { client, place, written, fields, rewriting };
  const isOff = fields.take("disabled") === true;
  const isNotOn = fields.take("enabled") === false;
  const isEnabled = written.isEnabled && !isOff && !isNotOn;
  const reached = reach(context);
  if (typeof reached === "string") return refuse(reached);
  const entry = {
    ...reached,
    ...readTimeout(context),
    ...readTools(context, reached),
    ...readSandbox(context, reached),
    ...(isEnabled ? {} : { enabled: false }),
  };
  noteRest(fields);
  return {
    entry,
    isEnabled,
    notes: [...written.notes, ...rewriting.notes()],
    inputIds: rewriting.inputIds(),
  };
}

function refuse(reason: string): Translation {
  return { entry: {}, isEnabled: false, notes: [reason], inputIds: [] };
}

// ── how it is reached ───────────────────────────────────────────────────────────────────────────────────────────────

/** The part of the entry that says how the server is reached, or why that cannot be known. */
function reach(context: EntryContext): Record<string, Json> | string {
  const { fields, client } = context;
  const type = readTransportType(fields.take(...TRANSPORT_KEYS));
  if (type === "unknown") return "Its transport is unknown. Repertoire knows stdio, http and sse.";
  const line = readCommandLine(fields);
  if (typeof line === "string") return line;
  const streamUrl = fields.text("httpUrl");
  const url = streamUrl ?? fields.text("serverUrl", "url", "uri", "endpoint");
  const isRemote = url !== undefined && (line === undefined || type === "http" || type === "sse");
  if (isRemote) {
    if (line !== undefined) fields.note("It has a command as well, which is left out.");
    // Gemini CLI means the older transport by a plain url.
    const otherwise = client === "gemini" && streamUrl === undefined ? "sse" : undefined;
    return remoteEntry(context, url, streamUrl === undefined ? (type ?? otherwise) : "http");
  }
  if (line === undefined) return "It has neither a command nor a url.";
  if (url !== undefined) fields.note("It has a url as well, which is left out.");
  const bridged = findBridged(line);
  return bridged === undefined ? programEntry(context, line) : bridgedEntry(context, bridged);
}

function readCommandLine(fields: Fields): CommandLine | string | undefined {
  const command = scalarTexts(fields.take("command", "cmd"));
  const args = scalarTexts(fields.take("args", "arguments"));
  if (command === undefined) return "Its command is neither a string nor a list of strings.";
  if (args === undefined) return "Its args are not a list of strings.";
  const [program = "", ...before] = command;
  if (program.trim() === "") return undefined;
  return { command: program, args: [...before, ...args] };
}

// ── what is said about it ───────────────────────────────────────────────────────────────────────────────────────────

function readTimeout({ client, fields }: EntryContext): Record<string, Json> {
  const start = readStartTimeout(fields);
  const seconds = fields.take("tool_timeout_sec");
  // The others do not say what their number counts.
  const ms = client === "gemini" || client === "claude" ? fields.take("timeout") : undefined;
  const unit = typeof seconds === "number" ? "seconds" : "milliseconds";
  const time = unit === "seconds" ? seconds : ms;
  return {
    ...(typeof time === "number" && time > 0 && { timeoutMs: timeoutMsOf(time, unit) }),
    ...(start !== undefined && { startTimeoutMs: start }),
  };
}

function readStartTimeout(fields: Fields): number | undefined {
  const times = START_TIMEOUT_KEYS.map((key) => [key, fields.take(key)] as const);
  const given = times.find(
    (pair): pair is [(typeof pair)[0], number] => typeof pair[1] === "number" && pair[1] > 0,
  );
  return given === undefined ? undefined : startTimeoutMsOf(...given);
}

function readTools({ fields }: EntryContext, reached: Record<string, Json>): Record<string, Json> {
  const tools = fields.take("tools");
  const allow = toolNamesIn(fields.take(...ALLOW_KEYS) ?? (Array.isArray(tools) ? tools : undefined));
  const hidden = asObject(reached["tools"])?.["deny"];
  const deny = toolNamesIn(fields.take(...DENY_KEYS) ?? hidden);
  if (asObject(tools) !== undefined) noteApproval(fields);
  const isAll = allow === undefined || allow.includes("*");
  const lists = { ...(isAll ? {} : { allow }), ...(deny === undefined || deny.length === 0 ? {} : { deny }) };
  return Object.keys(lists).length === 0 ? {} : { tools: lists };
}

/** More names than these say nothing more. */
const REST_COUNT_MAX = 5;

function noteApproval(fields: Fields): void {
  fields.note("Its approvals are left out: Repertoire does not take them over.");
}

function noteRest(fields: Fields): void {
  const granted: unknown = fields.take(...APPROVAL_KEYS);
  if (granted !== undefined && granted !== false) noteApproval(fields);
  fields.take(...SILENT_KEYS);
  const rest = fields.rest();
  if (rest.length === 0) return;
  const more = rest.length > REST_COUNT_MAX ? ` and ${rest.length - REST_COUNT_MAX} more` : "";
  fields.note(
    `Left out, because Repertoire has no such setting: ${rest.slice(0, REST_COUNT_MAX).map(quoteKey).join(", ")}${more}.`,
  );
}
