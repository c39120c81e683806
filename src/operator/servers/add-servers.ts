/** Adds servers to the config: an address, a command line, or the JSON that a client or a README has. */
import { findFileToEdit } from "../../config/entries/filed-servers.ts";
import { findUrlProblem } from "../../config/http.ts";
import type { JsonObject } from "../../core/json.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import { commandAt } from "../command-line.ts";
import { changeConfig } from "./config-change.ts";
import { hasProved, mayAddPrograms } from "./may-add-programs.ts";
import { draftNewServers, planNewServers, writeNewServers } from "./new-servers.ts";
import type { Handlers, OperatorDeps, Viewer } from "../operator.ts";
import { readPastedServers } from "./pasted-servers.ts";
import { placeServers, type NamedEntry } from "./placed-servers.ts";
import { escapeUnprintable } from "../../text/printable.ts";
import { quote } from "../../text/quote.ts";
import { isPublishedName } from "./install/published-name.ts";
import { recordChange } from "../record-change.ts";
import { warningsOf } from "./server-risks.ts";

export const addHandlers: Handlers<"addServers"> = {
  addServers: (deps, viewer, { body }) => changeConfig(() => addServers(deps, viewer, body)),
};

interface Request {
  readonly given: string;
  readonly name?: string | undefined;
  readonly replace?: boolean | undefined;
  readonly dry_run?: boolean | undefined;
}

/** What was added, or would be. */
interface Added {
  readonly added: string[];
  readonly file: string;
  readonly warnings: string[];
  readonly entries: Record<string, unknown>;
  readonly dry_run: boolean;
  /** The inputs that secrets went to. */
  readonly moved: string[];
  readonly [field: string]: unknown;
}

async function addServers(
  deps: OperatorDeps,
  viewer: Viewer,
  { given, name, replace = false, dry_run: isDry = false }: Request,
): Promise<ToolResult<Added>> {
  const named = readNamed(given, name);
  if (!named.success) return named;
  const { configPath, home } = deps.place;
  const file = findFileToEdit({ configPath, home });
  const placed = placeServers(named.data, { place: deps.place, path: file.path, replaces: replace });
  if (!placed.success) return placed;
  const refusal = isDry ? undefined : refuseProgram(deps, viewer, named.data);
  if (refusal !== undefined) return refusal;
  const plan = planNewServers(placed.data, file);
  const { values, entries } = draftNewServers(plan, true);
  if (!isDry) {
    await writeNewServers(plan, true);
    await deps.app.followConfig();
  }
  const added = placed.data.map(({ id }) => id);
  for (const id of isDry ? [] : added) {
    await recordChange(deps, viewer, { action: "server.added", subject: id, details: { file: file.path } });
  }
  return succeed({
    added,
    file: file.path,
    warnings: placed.data.flatMap(({ key, entry }) => warningsOf(key, entry)),
    entries: Object.fromEntries(entries.map(({ key, entry }) => [key, entry])),
    moved: [...values.keys()],
    dry_run: isDry,
  });
}

/** The entries under their names: those of the JSON, the one that was given, or one that the entry suggests. */
function readNamed(given: string, name: string | undefined): ToolResult<NamedEntry[]> {
  const text = given.trim();
  if (isPublishedName(text) || /^\S+\.mcpb$/i.test(text)) return isForTheTerminal(text);
  const pasted = readPastedServers(text);
  if (typeof pasted === "string") return fail("TOOL_INVALID_INPUT", `${pasted}.`, { field: "given" });
  if (name !== undefined && pasted.length > 1) {
    return fail("TOOL_INVALID_INPUT", "The JSON has several servers; omit the name.", { field: "name" });
  }
  for (const { entry } of pasted) {
    const problem = findAddressProblem(entry);
    if (problem !== undefined) return problem;
  }
  return succeed(pasted.map(({ key, proposal, entry }) => ({ key: name ?? key ?? proposal, entry })));
}

/** What a person has to have seen of it is shown at the terminal only. */
function isForTheTerminal(text: string): ToolResult<never> {
  return fail("TOOL_INVALID_INPUT", `${quote(text, 200)} is a server of the MCP registry, or a bundle.`, {
    field: "given",
    hint: `Add it on the machine itself: repertoire add ${escapeUnprintable(text)}`,
  });
}

/** The value of a variable or an input is known later. */
function findAddressProblem(entry: JsonObject): ToolResult<never> | undefined {
  const { openapi } = entry;
  const url = typeof openapi === "string" && isAddress(openapi) ? openapi : entry["url"];
  if (typeof url !== "string" || url.includes("${")) return undefined;
  const problem = findUrlProblem(url);
  if (problem === undefined) return undefined;
  const { message, hint } = problem;
  return fail("TOOL_INVALID_INPUT", `The address ${message}.`, { field: "given", ...(hint && { hint }) });
}

/** T140. What takes values of this machine could send them away, so it is held to the same. */
function refuseProgram(
  { config, place, host }: OperatorDeps,
  viewer: Viewer,
  given: readonly NamedEntry[],
): ToolResult<never> | undefined {
  const local = given
    .filter(({ entry }) => isProgram(entry) || takesValues(entry) || readsFile(entry))
    .map(({ key }) => key);
  if (local.length === 0 || viewer.principal === undefined) return undefined;
  const hint = `Add it on the machine itself: ${commandAt(place, ["add", "NAME", "--", "COMMAND"])}`;
  const what = `${local.join(", ")} would run a program on this machine, or read its files, variables or inputs`;
  if (!mayAddPrograms(config.current(), host)) {
    return fail("SECURITY_ERROR", `${what}, and other machines can reach this gateway.`, {
      reason: "programs_not_allowed",
      hint: `${hint}. http.console.addPrograms in the config allows it here.`,
    });
  }
  if (hasProved(viewer)) return undefined;
  return fail("SECURITY_ERROR", `${what}, and this session was opened more than 15 minutes ago.`, {
    reason: "proof_too_old",
    hint: `Open the console again: ${commandAt(place, ["console"])}. Or: ${hint}`,
  });
}

/** Whatever else the entry has: which of two ways counts is not for a check to guess. */
function isProgram(entry: JsonObject): boolean {
  return entry["command"] !== undefined || entry["type"] === "stdio" || entry["transport"] === "stdio";
}

function takesValues(entry: JsonObject): boolean {
  return entry["envFile"] !== undefined || JSON.stringify(entry).includes("${");
}

/** A description of an API that is on this machine. */
function readsFile({ openapi }: JsonObject): boolean {
  return typeof openapi === "string" && !isAddress(openapi);
}

function isAddress(text: string): boolean {
  return /^https?:/i.test(text);
}
