/**
 * Files + environment → one frozen Config, or everything that is wrong with them at once. Bad input is a value and
 * never a throw. What is wrong with one server is kept with that server; only what is wrong with a file as a whole
 * leaves no config. Only data is read: no script and no module of the folder runs, and no `.env` is read but the
 * `envFile` of a server.
 */
import { homedir } from "node:os";
import { resolve } from "node:path";
import { buildConfig } from "./build.ts";
import { readConfigText, type ConfigText, type FileText, type LoadOptions } from "./files/config-text.ts";
import { SECTIONS_IN_NEED_OF_TRUST, type Config, type ConfigInput } from "./config.ts";
import { parseDocument } from "./files/document.ts";
import { readEnvironment, type EnvironmentServers } from "./values/environment.ts";
import { expandTree, type InputUse, type TreeExpansion, editorVariables } from "./values/expand.ts";
import { type FileChecked, checkWithGaps } from "./files/file-check.ts";
import {
  checkInputs,
  complainMissing,
  complainOpenSection,
  createInputLookUp,
  describeInputs,
  isOpenSection,
  readDeclarations,
  withInputHint,
} from "./values/inputs.ts";
import { folderOf, mergeLayers, type Layer } from "./files/merge.ts";
import { arrangeProblems, type Complaint, type KeyPath, type ConfigProblem } from "./problem.ts";
import { checkProfiles } from "./profile.ts";
import { checkRules } from "./rules.ts";
import type { FileServer } from "./schema.ts";
import {
  asObject,
  checkServers,
  objectAt,
  parseServerKey,
  type ServersChecked,
  listEntries,
} from "./entries/server-check.ts";
import { readEntry } from "./entries/server-entry.ts";
import { readStoreEnvironment } from "./store.ts";
import { readEnvFile } from "./files/read-file.ts";

export type LoadResult =
  | { readonly ok: true; readonly config: Config; readonly warnings: readonly ConfigProblem[] }
  | {
      readonly ok: false;
      readonly problems: readonly ConfigProblem[];
      /** The inputs of the file, where one that is needed has no value: that may be what is wrong. */
      readonly inputs?: readonly ConfigInput[];
    };

export function loadConfig(options: LoadOptions = {}): LoadResult {
  return parseConfigText(readConfigText(options), options);
}

/** What decides about the values in a file, beside the file. */
type ValueOptions = Pick<LoadOptions, "env" | "readInput" | "assumeTrusted" | "homedir" | "platform">;

/** Understands what was read: all problems of files and environment at once, or the config and what is odd about it. */
export function parseConfigText(source: ConfigText, options: ValueOptions = {}): LoadResult {
  const { env = process.env, readInput, assumeTrusted = false } = options;
  const parsed = parseFiles(source.files);
  if (parsed.problems.length > 0) return { ok: false, problems: parsed.problems };
  const merged = mergeLayers(parsed.layers);
  const tree = merged.value;
  const declared = readDeclarations(tree);
  // A file that is only looked at, or is not trusted, gets no values; that is no fault of the file.
  const isTrusted = (path: KeyPath): boolean => merged.sourceAt(path)?.trusted !== false;
  const isRead = (path: KeyPath): boolean => isTrusted(path) && !(assumeTrusted && readInput === undefined);
  const lookUp = createInputLookUp(declared, readInput);
  const lookUpDefault = createInputLookUp(declared, undefined);
  const { homedir: user = homedir(), platform = process.platform } = options;
  const builtIn = editorVariables({ homedir: user, platform, folder: source.location.cwd });
  const lookUpAt = (id: string, path: KeyPath) => (isRead(path) ? lookUp : lookUpDefault)(id);
  const expansion = expandTree(tree, env, lookUpAt, builtIn);
  const servers = checkServers(expansion.value);
  const environment = readEnvironment(env, servers.known);
  const store = readStoreEnvironment(env);
  const isEnabled = createEnabledCheck(tree, environment);
  const gaps = findGaps(expansion, { isRead, isEnabled });
  const entries = readEntries(expansion.value);
  const envFiles = readEnvFiles(entries, {
    isUsed: (path) => isTrusted(path) && isEnabled(String(path[1])),
    folderAt: (path) => folderOf(merged.sourceAt(path), source.location.home),
  });
  const checked = checkWithGaps(withoutServers(expansion.value), gaps.paths);
  const ids = [...new Set([...servers.known.keys(), ...environment.urls.keys()])].sort();
  const rules = checkRules(expansion.value);
  const values = [
    ...[...entries.values()].flatMap((entry) => entry.complaints),
    ...envFiles.complaints,
    ...complaintsOf(checked),
    ...checkProfiles(expansion.value, ids),
    ...rules.complaints,
  ];
  const complaints = [
    ...expansion.complaints,
    ...gaps.complaints,
    ...withoutUnexpanded(values, [...expansion.complaints, ...expansion.unset, ...gaps.missing]),
    ...servers.complaints,
    ...checkInputs(tree),
  ];
  const locate = (complaint: Complaint): Located => ({
    path: complaint.path,
    problem: merged.locate(withInputHint(complaint, expansion.inputs)),
  });
  const found = [...merged.complaints, ...complaints.map(locate)];
  const [ofServers, ofFile] = partition(found, isOfServer);
  const inputs = describeInputs({ declared, uses: expansion.inputs, isRead, isEnabled });
  if (ofFile.length > 0 || store.problems.length > 0 || !checked.ok) {
    const canBeAsked = inputs.some((input) => input.state === "missing" && input.isNeeded);
    const problems = [...found, ...environment.problems].map(({ problem }) => problem);
    const all = [...problems, ...store.problems];
    return { ok: false, problems: arrangeProblems(all), ...(canBeAsked && { inputs }) };
  }
  const byId = Map.groupBy(ofServers, ({ path }) => idOf(String(path[1]), servers.known));
  const problemsOf = (id: string | undefined): ConfigProblem[] =>
    (byId.get(id) ?? []).map(({ problem }) => problem);
  const config = buildConfig({
    files: source.files.map(({ origin, trusted }) => ({ ...origin, trusted })),
    home: source.location.home,
    sourceAt: merged.sourceAt,
    file: checked.file,
    servers: new Map(
      [...servers.known].map(([id, { key }]) => [
        id,
        {
          key,
          entry: withEnv(entries.get(key)!.entry, envFiles.env.get(key)),
          problems: arrangeProblems(problemsOf(id)),
        },
      ]),
    ),
    written: tree,
    expansion,
    inputs,
    environment,
    store,
    env,
  });
  const odd = [
    ...servers.warnings,
    ...[...entries.values()].flatMap((entry) => entry.warnings),
    ...rules.warnings,
  ].filter(({ path }) => isTrusted(path));
  return {
    ok: true,
    config,
    warnings: [
      ...source.warnings,
      ...parsed.layers.flatMap(findTrustWarnings),
      ...parsed.warnings,
      ...merged.warnings,
      ...arrangeProblems([...problemsOf(undefined).map(leaveOut), ...odd.map((one) => locate(one).problem)]),
      ...environment.warnings,
    ],
  };
}

/** A complaint about the tree, and what is said of it. */
interface Located {
  readonly path: KeyPath;
  readonly problem: ConfigProblem;
}

interface FilesParsed {
  readonly layers: readonly Layer[];
  readonly problems: readonly ConfigProblem[];
  readonly warnings: readonly ConfigProblem[];
}

/** A file that is not trusted takes nothing away, so it may be broken. */
export function parseFiles(files: readonly FileText[]): FilesParsed {
  const layers: Layer[] = [];
  const problems: ConfigProblem[] = [];
  const warnings: ConfigProblem[] = [];
  for (const source of files) {
    const parsed =
      source.problem === undefined
        ? parseDocument(source.text ?? "", source.file)
        : ({ ok: false, problems: [source.problem] } as const);
    if (parsed.ok) layers.push({ source, ...parsed });
    else if (source.trusted) problems.push(...parsed.problems);
    else warnings.push(...parsed.problems.map(warnUnread));
  }
  return { layers, problems, warnings };
}

function warnUnread({ hint, ...problem }: ConfigProblem): ConfigProblem {
  const rest = "this project file has no effect until it is correct and trusted";
  return { ...problem, hint: hint === undefined ? rest : `${hint}; ${rest}` };
}

/** A problem of one server does not affect the others. */
function isOfServer({ path }: Located): boolean {
  return path[0] === "mcpServers" && path.length > 1;
}

function idOf(key: string, known: ServersChecked["known"]): string | undefined {
  const parsed = parseServerKey(key);
  return parsed.ok && known.has(parsed.id) ? parsed.id : undefined;
}

/** A server whose key gives no id has no name to call it by. */
function leaveOut(problem: ConfigProblem): ConfigProblem {
  return { ...problem, message: `${problem.message}; this server is left out` };
}

interface EnvFileRules {
  readonly isUsed: (path: KeyPath) => boolean;
  /** The folder that a relative path starts at. */
  readonly folderAt: (path: KeyPath) => string;
}

/**
 * The variables in the files that entries name, by the key of the server; a file is opened only for a server that is
 * used.
 */
function readEnvFiles(entries: Entries, { isUsed, folderAt }: EnvFileRules) {
  const env = new Map<string, Readonly<Record<string, string>>>();
  const complaints: Complaint[] = [];
  for (const [key, { entry }] of entries) {
    const path = ["mcpServers", key];
    if (entry.envFile === undefined || entry.command === undefined || !isUsed(path)) continue;
    const read = readEnvFile(resolve(folderAt(path), entry.envFile));
    if (read.ok) env.set(key, read.env);
    else {
      const message = `cannot use the envFile: ${read.message}`;
      complaints.push({
        path: [...path, "envFile"],
        at: "value",
        message,
        hint: "correct the path, or remove it",
      });
    }
  }
  return { env, complaints };
}

function withEnv(entry: FileServer, env: Readonly<Record<string, string>> | undefined): FileServer {
  return env === undefined ? entry : { ...entry, env: { ...env, ...entry.env } };
}

type Entries = ReadonlyMap<string, ReturnType<typeof readEntry>>;

function readEntries(file: unknown): Entries {
  const entries = Object.entries(asObject(asObject(file)?.["mcpServers"]) ?? {});
  return new Map(entries.map(([key, value]) => [key, readEntry(value, ["mcpServers", key])]));
}

/** The rest of a file, with its servers still an object, or whatever else they are. */
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
    const { enabled: isOn, disabled: isOff } = objectAt(servers, key) ?? {};
    return said ?? (isOn !== false && isOff !== true);
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
  /** Whether the values of inputs are looked for at a place. */
  readonly isRead: (path: KeyPath) => boolean;
  readonly isEnabled: (key: string) => boolean;
}

function findGaps({ unset, inputs }: TreeExpansion, { isRead, isEnabled }: GapRules): Gaps {
  // A server that is switched off needs nothing.
  const isNeeded = ({ path }: { path: KeyPath }): boolean =>
    path[0] !== "mcpServers" || isEnabled(String(path[1]));
  const misplaced = inputs.filter(isOpenSection);
  const missing = inputs.filter((use) => use.state === "missing" && !isOpenSection(use));
  const complaints = [
    ...unset.filter(isNeeded),
    ...misplaced.map(complainOpenSection),
    ...missing.filter((use) => isRead(use.path) && isNeeded(use)).map(complainMissing),
  ];
  const unread = missing.filter((use) => !isRead(use.path));
  return { paths: unread.map(({ path }) => path), complaints, missing };
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

/** What of a file has no effect before it is trusted. */
function findTrustWarnings({ source, document }: Layer): ConfigProblem[] {
  if (source.trusted) return [];
  const hint = "review it, then run `repertoire trust`";
  const withheld = SECTIONS_IN_NEED_OF_TRUST.filter((key) =>
    Object.hasOwn(asObject(document.value) ?? {}, key),
  );
  const keys = listEntries(document.value).map(({ key }) => parseServerKey(key));
  const names = [...new Set(keys.flatMap((parsed) => (parsed.ok ? [parsed.id] : [])))].sort();
  const warnings: ConfigProblem[] = [];
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
