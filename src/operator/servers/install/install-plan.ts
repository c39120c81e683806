/**
 * Adding a server by its name: what would be written, with everything that a person should know before. Nothing is
 * written here, and nothing is started. A registry is believed in nothing: a name that it answers for another, a
 * version that is not exactly one, an address that is nearer than its own, are refused.
 */
import type { InstalledFrom } from "../../../config/config.ts";
import { escapeText } from "../../../clients/translate/references.ts";
import { findFileToEdit } from "../../../config/entries/filed-servers.ts";
import { findEntryRisks } from "../../../config/entries/entry-risks.ts";
import type { JsonObject } from "../../../core/json.ts";
import { fail, succeed, type ToolResult } from "../../../core/result.ts";
import { openInputs } from "../../../secrets/inputs.ts";
import { chooseLaunch, type LaunchKind } from "../../../published/choose-launch.ts";
import type { Launch, LaunchRisk, Question } from "../../../published/launch.ts";
import { findTextProblem, malformed } from "../../../published/package-launch.ts";
import { checkRemote } from "../../../published/remote-launch.ts";
import type { PublishedPackage, PublishedServer } from "../../../published/server-json.ts";
import type { ServerRegistry } from "../../../published/server-registry.ts";
import { makeVisible } from "../../../text/visible-text.ts";
import { quote } from "../../../text/quote.ts";
import type { OperatorDeps } from "../../operator.ts";
import { inputsIn, documentAt } from "../new-servers.ts";
import { pinEntry } from "../pinned-entry.ts";
import { placeServers } from "../placed-servers.ts";
import { findNear, nothingFound } from "../server-search.ts";
import { readAnswers, type Answers } from "./answers.ts";
import { fillLaunch, type FilledEntry } from "./filled-entry.ts";
import { findLookalikes } from "./lookalikes.ts";
import type { PublishedName } from "./published-name.ts";
import type { OpenedBundle } from "./opened-bundle.ts";

/** A server that was found, and how it would be started. */
export interface FoundLaunch {
  readonly origin: InstalledFrom;
  readonly description: string;
  readonly launch: Launch;
  readonly risks: readonly LaunchRisk[];
  /** What is unpacked before the entry is written. */
  readonly bundle?: OpenedBundle;
}

export interface FindOptions {
  readonly place: OperatorDeps["place"];
  readonly kind?: LaunchKind | undefined;
  /** Fetches a bundle and reads it; what it holds is not unpacked yet. */
  readonly openBundle: (
    published: PublishedPackage,
    server: PublishedServer,
  ) => Promise<ToolResult<OpenedBundle>>;
}

export async function findLaunch(
  { name, version }: PublishedName,
  registry: ServerRegistry,
  { place, kind, openBundle }: FindOptions,
): Promise<ToolResult<FoundLaunch>> {
  const found = await registry.find(name, version);
  if (!found.success)
    return found.error.code === "TOOL_NOT_FOUND" ? notFound(registry, name, version) : found;
  const server = found.data;
  if (server.status === "deleted") return wasDeleted(server);
  const lookalikes = await findLookalikes(name, registry, place);
  if (!lookalikes.success) return lookalikes;
  const chosen = chooseLaunch(server, kind);
  if (!chosen.success) return chosen;
  const opened = "bundle" in chosen.data ? await openBundle(chosen.data.bundle, server) : undefined;
  if (opened?.success === false) return opened;
  const launch = "launch" in chosen.data ? chosen.data.launch : opened!.data.launch;
  const checked = await checkLaunch(launch, registry);
  if (!checked.success) return checked;
  const sha256 = launch.sha256 ?? opened?.data.sha256;
  return succeed({
    origin: {
      name,
      version: server.version,
      registry: registry.url,
      ...(sha256 !== undefined && { sha256 }),
    },
    description: makeVisible(server.description),
    launch,
    risks: [...lookalikes.data, ...statusRisks(server), ...launch.risks],
    ...(opened !== undefined && { bundle: opened.data }),
  });
}

export async function checkLaunch(launch: Launch, registry?: ServerRegistry): Promise<ToolResult<undefined>> {
  const problem = findTextProblem(launch);
  if (problem !== undefined) return malformed(problem);
  return launch.remote === undefined || registry === undefined
    ? succeed(undefined)
    : checkRemote(launch.remote.url, registry.policy);
}

async function notFound(
  registry: ServerRegistry,
  name: string,
  version: string | undefined,
): Promise<ToolResult<never>> {
  const known = version === undefined ? undefined : await registry.find(name);
  if (known?.success === true) {
    return fail(
      "TOOL_NOT_FOUND",
      `${name} has no version ${quote(version!)}; the newest is ${known.data.version}.`,
      {
        field: "name",
        hint: `Run: repertoire add ${name}@${known.data.version}`,
      },
    );
  }
  return nothingFound(registry, name, await findNear(registry, name));
}

function wasDeleted({ name, version, statusMessage = "" }: PublishedServer): ToolResult<never> {
  const said = statusMessage === "" ? "" : `: ${quote(statusMessage, 300)}`;
  return fail("SECURITY_ERROR", `${name} ${version} was deleted from the registry${said}.`, {
    reason: "deleted",
    hint: "Nothing was changed. What is deleted is often harmful: look for another server.",
  });
}

function statusRisks({ name, version, status, statusMessage = "" }: PublishedServer): LaunchRisk[] {
  if (status === "active") return [];
  const said = statusMessage === "" ? "" : `: ${quote(statusMessage, 300)}`;
  return [{ kind: "deprecated", message: `${name} ${version} is ${quote(status)} in the registry${said}.` }];
}

export interface EntryRequest {
  readonly place: OperatorDeps["place"];
  /** What the server is to be called; by default the end of its name. */
  readonly as?: string | undefined;
  readonly replaces: boolean;
}

/** A name and a place for it that are free, before anybody is asked anything. */
export function findKey({ origin }: FoundLaunch, { place, as, replaces }: EntryRequest) {
  const key = as ?? origin.name.split("/").at(-1)!;
  const { path } = findFileToEdit({ configPath: place.configPath, home: place.home });
  const placed = placeServers([{ key, entry: {} }], { place, path, replaces });
  if (placed.success || placed.error.reason !== "taken") return placed;
  return fail(placed.error.code, `${placed.error.message}, --as NAME gives this one another name`, {
    reason: "taken",
    field: "name",
  });
}

export interface InstallPlan extends FilledEntry {
  readonly key: string;
  readonly id: string;
  readonly origin: InstalledFrom;
  readonly risks: readonly LaunchRisk[];
  readonly bundle?: OpenedBundle;
}

export interface PlanOptions extends EntryRequest {
  /** `id=value` of the command line. */
  readonly given: readonly string[];
  /** Asks a person; undefined where nobody can be asked, or gave no answer. */
  readonly ask: (question: Question) => Promise<string | undefined>;
}

export async function planInstall(
  found: FoundLaunch,
  options: PlanOptions,
): Promise<ToolResult<InstallPlan>> {
  const placed = findKey(found, options);
  if (!placed.success) return placed;
  const { key, id } = placed.data[0]!;
  const answers = await collectAnswers(found.launch.questions, options);
  if (!answers.success) return answers;
  const { place } = options;
  const { path, home } = findFileToEdit({ configPath: place.configPath, home: place.home });
  const taken = new Set([...openInputs({ home }).list(), ...inputsIn(documentAt(path))]);
  const filled = fillLaunch(found.launch, answers.data, {
    serverId: id,
    isTaken: (input) => taken.has(input),
  });
  const pinned = await withIntegrity(key, found.launch, filled.entry);
  if (!pinned.success) return pinned;
  const { origin, bundle } = found;
  const entry: JsonObject = { ...pinned.data, trust: "ask", installed: literal(origin) };
  return succeed({
    ...filled,
    key,
    id,
    entry,
    origin,
    risks: distinct([...found.risks, ...entryRisks(entry)]),
    ...(bundle !== undefined && { bundle }),
  });
}

/** A name that looks like a variable is none. */
export function literal(origin: InstallPlan["origin"]): JsonObject {
  return Object.fromEntries(Object.entries(origin).map(([key, text]) => [key, escapeText(text as string)]));
}

async function collectAnswers(
  questions: readonly Question[],
  { given, ask }: PlanOptions,
): Promise<ToolResult<Answers>> {
  const read = readAnswers(given, questions);
  if (!read.success) return read;
  const answers = new Map(read.data);
  for (const question of questions) {
    if (answers.has(question.id) || !question.isRequired || question.default !== undefined) continue;
    const value = await ask(question);
    if (value !== undefined) answers.set(question.id, [value]);
  }
  return succeed(answers);
}

/** As `pin` writes it: the package is asked for once more, and by the machine's own npm. */
async function withIntegrity(
  key: string,
  { kind }: Launch,
  entry: JsonObject,
): Promise<ToolResult<JsonObject>> {
  if (kind !== "npm") return succeed(entry);
  const pinned = await pinEntry(key, entry);
  return pinned.success ? succeed({ ...entry, integrity: pinned.data.fields.integrity }) : pinned;
}

/** An image with a tag is told by `warningsOf`; it is no reason to refuse. */
function entryRisks(entry: JsonObject): LaunchRisk[] {
  return findEntryRisks(entry).flatMap(({ kind, message }) =>
    kind === "unpinned" ? [] : [{ kind, message }],
  );
}

function distinct(risks: readonly LaunchRisk[]): LaunchRisk[] {
  return [...new Map(risks.map((risk) => [risk.message, risk])).values()];
}
