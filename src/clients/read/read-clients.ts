/**
 * The servers of every client on the machine, as entries of our own config. A file that is broken is a problem, never a
 * throw, and the others are read. Nothing is started, and no file that an entry names is opened.
 */
import type { JsonObject } from "../../core/json.ts";
import type { InputDeclaration } from "../../config/values/inputs.ts";
import { asObject } from "../../config/entries/server-check.ts";
import { withSandboxOfFile } from "../../config/entries/server-isolation.ts";
import {
  isAtOrAbove,
  listClientFiles,
  pathOf,
  type ClientFile,
  type ClientId,
  type ClientPlace,
} from "../client.ts";
import { readClientFile, type ClientDocument } from "./client-document.ts";
import { translateEntry } from "../translate/entry.ts";
import {
  entriesAt,
  namesAt,
  plainServers,
  valueAt,
  type FindServers,
  type Way,
  type WrittenServer,
} from "./written-server.ts";
import { readInputDeclarations } from "../translate/input-declaration.ts";

/** One server of one client. */
export interface FoundServer {
  /** As it is written there. */
  readonly key: string;
  readonly client: ClientId;
  readonly path: string;
  readonly scope: "user" | "project";
  /** In the shape of our `mcpServers`; empty where it is no server, and then the only note says why. */
  readonly entry: JsonObject;
  readonly isEnabled: boolean;
  /** What was changed or could not be carried over, one sentence each. */
  readonly notes: readonly string[];
  /** The declarations of the inputs that the entry refers to. */
  readonly inputs: readonly InputDeclaration[];
}

export interface ClientsRead {
  readonly servers: readonly FoundServer[];
  /** The files that are there and could be read. */
  readonly read: readonly ClientFile[];
  readonly problems: readonly { readonly path: string; readonly message: string }[];
}

/** Far more than a person has; a file with more is a mistake or an attack. */
export const SERVERS_PER_FILE_MAX = 200;

export function readClients(place: ClientPlace): ClientsRead {
  const documents: ClientDocument[] = [];
  const problems: { path: string; message: string }[] = [];
  for (const file of listClientFiles(place)) {
    const read = readClientFile(file);
    if (read.kind === "missing") continue;
    problems.push(...read.messages.map((message) => ({ path: file.path, message })));
    if (read.kind !== "read") continue;
    documents.push(read.document);
    problems.push(...findWrongTables(read.document).map((message) => ({ path: file.path, message })));
  }
  const servers = documents.flatMap((document) => {
    const { client, path } = document.file;
    const all = documents.filter(({ file }) => file.client === client);
    const written = FIND[client](document, all, place);
    if (written.length > SERVERS_PER_FILE_MAX) {
      const message = `has ${written.length} servers; only the first ${SERVERS_PER_FILE_MAX} are read`;
      problems.push({ path, message });
    }
    const inputs = client === "vscode" ? findInputs(document) : new Map<string, InputDeclaration>();
    return written.slice(0, SERVERS_PER_FILE_MAX).map((server): FoundServer => {
      const { entry, isEnabled, notes, inputIds } = translateEntry(server, { client, place });
      return {
        key: server.key,
        client,
        path,
        scope: server.scope,
        entry,
        isEnabled,
        notes,
        inputs: inputIds.flatMap((id) => inputs.get(id) ?? []),
      };
    });
  });
  return { servers, read: documents.map(({ file }) => file), problems };
}

/** A table of servers that is not an object is reported, because its servers are missing. */
function findWrongTables({ value }: ClientDocument): string[] {
  if (asObject(value) === undefined) return ["is not an object, so it has no servers"];
  const wrong = ["mcpServers", "mcp_servers"].filter((key) => {
    const table = valueAt(value, [key]);
    return table !== undefined && asObject(table) === undefined;
  });
  return wrong.map((key) => `${key} is not an object, so none of its servers is read`);
}

/** Shapes met in the files of clients that all follow the first of them. */
const COMMON_WAYS = [["mcpServers"], ["mcp", "mcpServers"], ["mcp", "servers"], ["servers"]] as const;

const findCommonServers: FindServers = (document, _all, place) => plainServers(document, place, COMMON_WAYS);

/** Codex reads the file of a project only where the user trusts the folder. */
const findCodexServers: FindServers = (document, all, place) => {
  const isApproved = document.file.scope === "user" || isTrusted(all, place);
  return plainServers(document, place, [["mcp_servers"], ["mcpServers"]], isApproved);
};

/** By the nearest folder that the user's own file knows. */
function isTrusted(all: readonly ClientDocument[], place: ClientPlace): boolean {
  const known = all
    .filter(({ file }) => file.scope === "user")
    .flatMap(({ value }) => Object.entries(asObject(valueAt(value, ["projects"])) ?? {}))
    .filter(([folder]) => isAtOrAbove(folder, place))
    .sort(([a], [b]) => b.length - a.length);
  return valueAt(known[0]?.[1], ["trust_level"]) === "trusted";
}

/** Now, and before its settings were sorted into sections. */
const ALLOWED: readonly Way[] = [["mcp", "allowed"], ["allowMCPServers"]];
const EXCLUDED: readonly Way[] = [["mcp", "excluded"], ["excludeMCPServers"]];

/** Gemini CLI has lists beside its servers: only these, and none of those. */
const findGeminiServers: FindServers = (document, all, place) => {
  const allowed = namesIn(all, ALLOWED);
  const excluded = new Set(namesIn(all, EXCLUDED));
  return plainServers(document, place, [["mcpServers"], ["mcp", "mcpServers"]]).map((server) => {
    const isAllowed = allowed === undefined || allowed.includes(server.key);
    if (isAllowed && !excluded.has(server.key)) return server;
    return { ...server, isEnabled: false, notes: ["It is switched off in Gemini CLI."] };
  });
};

/** Undefined where no file has such a list. */
function namesIn(all: readonly ClientDocument[], ways: readonly Way[]): string[] | undefined {
  const lists = all.flatMap(({ value }) => ways.map((way) => ({ value, way })));
  const present = lists.filter(({ value, way }) => Array.isArray(valueAt(value, way)));
  return present.length === 0 ? undefined : present.flatMap(({ value, way }) => namesAt(value, way));
}

/**
 * Of VS Code. In a file of its own, servers are at the top; in the settings they are below `mcp`, as an object or in
 * the key itself.
 */
const FILE_WAYS: readonly Way[] = [["servers"], ["mcpServers"], ["mcp", "servers"]];
const SETTINGS_WAYS: readonly Way[] = [["mcp", "servers"], ["mcp.servers"], ["mcp", "mcpServers"]];
const INPUT_WAYS: readonly Way[] = [["inputs"], ["mcp", "inputs"], ["mcp.inputs"]];

/** The rules of a sandbox may be in the file once, for each server that has the switch. */
const findVscodeServers: FindServers = (document, _all, place) => {
  const isInSettings = isSettings(document, place);
  const file = isInSettings ? valueAt(document.value, ["mcp"]) : document.value;
  return plainServers(document, place, isInSettings ? SETTINGS_WAYS : FILE_WAYS).map((server) => {
    const entry = asObject(server.value);
    return entry === undefined ? server : { ...server, value: withSandboxOfFile(entry, file) };
  });
};

/** The inputs that a file declares, by id. */
function findInputs(document: ClientDocument): Map<string, InputDeclaration> {
  const lists = INPUT_WAYS.map((way) => valueAt(document.value, way));
  return readInputDeclarations(lists.flatMap((list): unknown[] => (Array.isArray(list) ? list : [])));
}

function isSettings({ file }: ClientDocument, place: ClientPlace): boolean {
  return pathOf(place.platform).basename(file.path) === "settings.json";
}

const CLAUDE_WAYS: readonly Way[] = [["mcpServers"], ["mcp", "mcpServers"]];

/**
 * Claude Code keeps servers in three scopes: the user's and those of each folder in `.claude.json`, the project's in
 * `.mcp.json`. A project's own servers count only once the user approved them, and no file that comes with the project
 * can do that.
 */
const findClaudeServers: FindServers = (document, all, place) => {
  const { scope, path } = document.file;
  const project = findProject(all, place);
  if (scope === "project") {
    const isServerFile = pathOf(place.platform).basename(path) === ".mcp.json";
    return isServerFile ? projectServers(document, all, project, place) : [];
  }
  const off = new Set([
    ...all.flatMap(({ value }) => namesAt(value, ["disabledMcpServers"])),
    ...namesAt(project?.value, ["disabledMcpServers"]),
  ]);
  const switched = (key: string): Pick<WrittenServer, "isEnabled" | "notes"> =>
    off.has(key) ? { isEnabled: false, notes: ["It is switched off in Claude Code."] } : ON;
  const own = entriesAt(document.value, CLAUDE_WAYS).map(([key, value]) => ({
    key,
    value,
    scope,
    folder: place.cwd,
    ...switched(key),
  }));
  // The servers of this folder are in the file that knows all folders.
  if (project === undefined || project.path !== path) return own;
  const { folder } = project;
  const local = entriesAt(project.value, CLAUDE_WAYS).map(([key, value]) => ({
    key,
    value,
    scope: "project" as const,
    folder,
    ...switched(key),
  }));
  return [...own, ...local];
};

const ON: Pick<WrittenServer, "isEnabled" | "notes"> = { isEnabled: true, notes: [] };

interface Project {
  /** The file that says so. */
  readonly path: string;
  readonly folder: string;
  readonly value: unknown;
}

/** What Claude Code knows of the folder, or of the nearest one above it. */
function findProject(all: readonly ClientDocument[], place: ClientPlace): Project | undefined {
  let nearest: Project | undefined;
  for (const { file, value } of all) {
    if (file.scope !== "user") continue;
    for (const [folder, settings] of Object.entries(asObject(valueAt(value, ["projects"])) ?? {})) {
      if (!isAtOrAbove(folder, place) || folder.length <= (nearest?.folder.length ?? 0)) continue;
      nearest = { path: file.path, folder, value: settings };
    }
  }
  return nearest;
}

function projectServers(
  document: ClientDocument,
  all: readonly ClientDocument[],
  project: Project | undefined,
  place: ClientPlace,
): WrittenServer[] {
  const isFolderTrusted = valueAt(project?.value, ["hasTrustDialogAccepted"]) === true;
  const settings = [project?.value, ...all.map(({ value }) => value)];
  const believed = [
    project?.value,
    ...all.filter(({ file }) => file.scope === "user" || isFolderTrusted).map(({ value }) => value),
  ];
  const refused = new Set(settings.flatMap((value) => namesAt(value, ["disabledMcpjsonServers"])));
  const approved = new Set(believed.flatMap((value) => namesAt(value, ["enabledMcpjsonServers"])));
  const areAllApproved = believed.some((value) => valueAt(value, ["enableAllProjectMcpServers"]) === true);
  const switched = (key: string): Pick<WrittenServer, "isEnabled" | "notes"> => {
    if (refused.has(key)) return { isEnabled: false, notes: ["It is switched off in Claude Code."] };
    if (areAllApproved || approved.has(key)) return ON;
    return { isEnabled: false, notes: ["It came with the project and was never approved in Claude Code."] };
  };
  return entriesAt(document.value, CLAUDE_WAYS).map(([key, value]) => ({
    key,
    value,
    scope: "project" as const,
    folder: place.cwd,
    ...switched(key),
  }));
}

const FIND: Readonly<Record<ClientId, FindServers>> = {
  claude: findClaudeServers,
  "claude-desktop": findCommonServers,
  cursor: findCommonServers,
  vscode: findVscodeServers,
  windsurf: findCommonServers,
  codex: findCodexServers,
  gemini: findGeminiServers,
};
