/**
 * File + environment → one frozen Config, or everything that is wrong with them at once. Bad input is a value and never a
 * throw. Only data is read: no `.env`, no script, no module of the folder has any say.
 */
import { buildConfig } from "./build.ts";
import { readConfigText, type ConfigText, type LoadOptions } from "./config-text.ts";
import { SECTIONS_IN_NEED_OF_TRUST, type Config, type ConfigInput } from "./config.ts";
import { parseDocument, type Document } from "./document.ts";
import { readEnvironment, type EnvironmentServers } from "./environment.ts";
import { expandTree, type InputUse, type TreeExpansion } from "./expand.ts";
import type { FileChecked } from "./file-check.ts";
import {
  checkInputs,
  complainMissing,
  complainOpenSection,
  createInputLookUp,
  describeInputs,
  isOpenSection,
  readDeclarations,
  withInputHint,
} from "./inputs.ts";
import { arrangeProblems, type Complaint, type KeyPath, type Problem } from "./problem.ts";
import { checkProfiles } from "./profile.ts";
import { asObject, checkServers, objectAt, parseServerKey, type ServersChecked } from "./server-check.ts";
import { readEntry } from "./server-entry.ts";
import { checkWithGaps } from "./unresolved.ts";

export type LoadResult =
  | { readonly ok: true; readonly config: Config; readonly warnings: readonly Problem[] }
  | {
      readonly ok: false;
      readonly problems: readonly Problem[];
      /** The inputs of the file, where one that is needed has no value: that may be what is wrong. */
      readonly inputs?: readonly ConfigInput[];
    };

export function loadConfig(options: LoadOptions = {}): LoadResult {
  return parseConfigText(readConfigText(options), options);
}

/** What decides about the values in a file, beside the file. */
type ValueOptions = Pick<LoadOptions, "env" | "readInput" | "assumeTrusted">;

/** Understands what was read: all problems of file and environment at once, or the config and what is odd about it. */
export function parseConfigText(source: ConfigText, options: ValueOptions = {}): LoadResult {
  const { env = process.env, readInput, assumeTrusted = false } = options;
  if (source.problem !== undefined) return { ok: false, problems: [source.problem] };
  const parsed = parseDocument(source.text ?? "{}", source.file);
  if (!parsed.ok) return { ok: false, problems: parsed.problems };
  const { document } = parsed;
  const declared = readDeclarations(document.value);
  // Whoever only looks at a file, and a file that is not trusted, is told no value; that is no fault of the file.
  const areRead = source.trusted && !(assumeTrusted && readInput === undefined);
  const lookUpInput = createInputLookUp(declared, areRead ? readInput : undefined);
  const expansion = expandTree(document.value, env, lookUpInput);
  const servers = checkServers(expansion.value);
  const environment = readEnvironment(env, servers.known);
  const isEnabled = createEnabledCheck(document.value, environment);
  const gaps = findGaps(expansion, { areRead, isEnabled });
  const entries = readEntries(expansion.value);
  const checked = checkWithGaps(withoutServers(expansion.value), gaps.paths);
  const ids = [...new Set([...servers.known.keys(), ...environment.urls.keys()])].sort();
  const values = [
    ...[...entries.values()].flatMap((entry) => entry.complaints),
    ...complaintsOf(checked),
    ...checkProfiles(expansion.value, ids),
  ];
  const complaints = [
    ...parsed.complaints,
    ...expansion.complaints,
    ...gaps.complaints,
    ...withoutUnexpanded(values, [...expansion.complaints, ...expansion.unset, ...gaps.missing]),
    ...servers.complaints,
    ...checkInputs(document.value),
  ];
  const locate = (complaint: Complaint): Problem =>
    document.locate(withInputHint(complaint, expansion.inputs));
  const [ofServers, ofFile] = partition(complaints, isOfServer);
  const inputs = describeInputs({ declared, uses: expansion.inputs, areRead, isEnabled });
  if (ofFile.length > 0 || !checked.ok) {
    const canBeAsked = inputs.some((input) => input.state === "missing" && input.isNeeded);
    const problems = [...complaints.map(locate), ...environment.problems.map(({ problem }) => problem)];
    return { ok: false, problems: arrangeProblems(problems), ...(canBeAsked && { inputs }) };
  }
  const byId = Map.groupBy(ofServers, ({ path }) => idOf(String(path[1]), servers.known));
  const config = buildConfig({
    origin: source.origin,
    home: source.location.home,
    trusted: source.trusted,
    file: checked.file,
    servers: new Map(
      [...servers.known].map(([id, { key }]) => [
        id,
        { key, entry: entries.get(key)!.entry, problems: arrangeProblems((byId.get(id) ?? []).map(locate)) },
      ]),
    ),
    written: document.value,
    expansion,
    inputs,
    environment,
  });
  const trustWarnings = source.trusted ? [] : findTrustWarnings(source, document, config);
  const entryWarnings = [...entries.values()].flatMap((entry) => entry.warnings);
  const warnings = [...(byId.get(undefined) ?? []).map(leaveOut), ...entryWarnings];
  return {
    ok: true,
    config,
    warnings: [
      ...source.warnings,
      ...trustWarnings,
      ...arrangeProblems(warnings.map(locate)),
      ...environment.warnings,
    ],
  };
}

/** What is wrong with one server is no reason to do without the others. */
function isOfServer({ path }: Complaint): boolean {
  return path[0] === "mcpServers" && path.length > 1;
}

function idOf(key: string, known: ServersChecked["known"]): string | undefined {
  const parsed = parseServerKey(key);
  return parsed.ok && known.has(parsed.id) ? parsed.id : undefined;
}

/** A server whose key gives no id cannot be called by any name. */
function leaveOut(complaint: Complaint): Complaint {
  return { ...complaint, message: `${complaint.message}; this server is left out` };
}

function readEntries(file: unknown): Map<string, ReturnType<typeof readEntry>> {
  const entries = Object.entries(asObject(asObject(file)?.["mcpServers"]) ?? {});
  return new Map(entries.map(([key, value]) => [key, readEntry(value, ["mcpServers", key])]));
}

/** The rest of a file, with its servers still an object or whatever else stands there. */
function withoutServers(file: unknown): unknown {
  const object = asObject(file);
  return object !== undefined && asObject(object["mcpServers"]) !== undefined
    ? { ...object, mcpServers: {} }
    : file;
}

/** Whether a server is switched on, by its key, in a file that may have problems. */
function createEnabledCheck(file: unknown, { enabled }: EnvironmentServers): (key: string) => boolean {
  const servers = objectAt(file, "mcpServers");
  return (key) => {
    const parsed = parseServerKey(key);
    const said = parsed.ok ? enabled.get(parsed.id)?.value : undefined;
    return said ?? objectAt(servers, key)?.["enabled"] !== false;
  };
}

interface Gaps {
  /** Texts of settings that have no value, in a file of which none are read. */
  readonly paths: readonly KeyPath[];
  /** Values that are missing where something needs them. */
  readonly complaints: readonly Complaint[];
  /** Every input that has no value. */
  readonly missing: readonly InputUse[];
}

interface GapRules {
  readonly areRead: boolean;
  readonly isEnabled: (key: string) => boolean;
}

function findGaps({ unset, inputs }: TreeExpansion, { areRead, isEnabled }: GapRules): Gaps {
  // A server that is switched off needs nothing.
  const isNeeded = ({ path }: { path: KeyPath }): boolean =>
    path[0] !== "mcpServers" || isEnabled(String(path[1]));
  const misplaced = inputs.filter(isOpenSection);
  const missing = inputs.filter((use) => use.state === "missing" && !isOpenSection(use));
  const complaints = [
    ...unset.filter(isNeeded),
    ...misplaced.map(complainOpenSection),
    ...(areRead ? missing.filter(isNeeded).map(complainMissing) : []),
  ];
  return { paths: areRead ? [] : missing.map(({ path }) => path), complaints, missing };
}

function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): [T[], T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}

function complaintsOf(checked: FileChecked): readonly Complaint[] {
  return checked.ok ? [] : checked.complaints;
}

/** What a text with an unset variable looks like says nothing: the variable is the problem. */
function withoutUnexpanded(
  complaints: readonly Complaint[],
  unexpanded: readonly { readonly path: KeyPath }[],
): Complaint[] {
  const paths = new Set(unexpanded.map((complaint) => JSON.stringify(complaint.path)));
  return complaints.filter((complaint) => !paths.has(JSON.stringify(complaint.path)));
}

function findTrustWarnings(source: ConfigText, document: Document, config: Config): Problem[] {
  const hint = "look at it, then run `repertoire trust`";
  const withheld = SECTIONS_IN_NEED_OF_TRUST.filter((key) => objectAt(document.value, key) !== undefined);
  const names = config.servers.filter((server) => !server.trusted).map((server) => server.id);
  const warnings: Problem[] = [];
  if (names.length > 0) {
    const message = `this project file is not trusted, so its servers are not started: ${names.join(", ")}`;
    warnings.push({ file: source.file, path: "", message, hint });
  }
  for (const key of withheld) {
    const message = "has no effect until this project file is trusted";
    warnings.push(document.locate({ path: [key], at: "key", message, hint }));
  }
  return warnings;
}
