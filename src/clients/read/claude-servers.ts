/**
 * Claude Code keeps servers in three scopes: the user's and those of each folder in `.claude.json`, the project's in
 * `.mcp.json`. A project's own servers count only once the user approved them, and no file that comes with the project
 * can do that.
 */
import { asObject } from "../../config/entries/server-check.ts";
import { isAtOrAbove, pathOf, type ClientPlace } from "../client.ts";
import type { ClientDocument } from "./client-document.ts";
import {
  entriesAt,
  namesAt,
  valueAt,
  type FindServers,
  type Way,
  type WrittenServer,
} from "./written-server.ts";

const WAYS: readonly Way[] = [["mcpServers"], ["mcp", "mcpServers"]];

export const findClaudeServers: FindServers = (document, all, place) => {
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
  const own = entriesAt(document.value, WAYS).map(([key, value]) => ({
    key,
    value,
    scope,
    folder: place.cwd,
    ...switched(key),
  }));
  // The servers of this folder are in the file that knows all folders.
  if (project === undefined || project.path !== path) return own;
  const { folder } = project;
  const local = entriesAt(project.value, WAYS).map(([key, value]) => ({
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
  const isTrusted = valueAt(project?.value, ["hasTrustDialogAccepted"]) === true;
  const settings = [project?.value, ...all.map(({ value }) => value)];
  const believed = [
    project?.value,
    ...all.filter(({ file }) => file.scope === "user" || isTrusted).map(({ value }) => value),
  ];
  const refused = new Set(settings.flatMap((value) => namesAt(value, ["disabledMcpjsonServers"])));
  const approved = new Set(believed.flatMap((value) => namesAt(value, ["enabledMcpjsonServers"])));
  const areAllApproved = believed.some((value) => valueAt(value, ["enableAllProjectMcpServers"]) === true);
  const switched = (key: string): Pick<WrittenServer, "isEnabled" | "notes"> => {
    if (refused.has(key)) return { isEnabled: false, notes: ["It is switched off in Claude Code."] };
    if (areAllApproved || approved.has(key)) return ON;
    return { isEnabled: false, notes: ["It came with the project and was never approved in Claude Code."] };
  };
  return entriesAt(document.value, WAYS).map(([key, value]) => ({
    key,
    value,
    scope: "project" as const,
    folder: place.cwd,
    ...switched(key),
  }));
}
