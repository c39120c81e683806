/**
 * Writes a server that was planned: its bundle is unpacked, its secrets are kept, and last its entry gets into the
 * file. What a crash leaves in between is used by nothing. Of two processes that add something, one goes first: each
 * sees what the other wrote.
 */
import { findFileToEdit, listFiledServers } from "../../../config/entries/filed-servers.ts";
import { objectAt } from "../../../config/entries/server-check.ts";
import type { PlannedEdits } from "../../../config/files/edit.ts";
import type { JsonObject } from "../../../core/json.ts";
import { succeed, type ToolResult } from "../../../core/result.ts";
import { crashPoint } from "../../../process/crash-point.ts";
import { holdLock } from "../../../process/file-lock.ts";
import { removeBundle, unpackBundle } from "../../../published/bundle/unpack.ts";
import type { OperatorDeps } from "../../operator.ts";
import {
  documentAt,
  draftNewServers,
  planNewServers,
  writeNewServers,
  type NewServer,
} from "../new-servers.ts";
import { placeServers } from "../placed-servers.ts";
import { literal, type InstallPlan } from "./install-plan.ts";

const LOCK = "installed servers";

export interface Installed {
  readonly path: string;
  readonly entry: JsonObject;
}

interface WriteOptions {
  readonly place: OperatorDeps["place"];
  readonly replaces: boolean;
}

/** What the file would become. */
export function draftInstall(plan: InstallPlan, options: WriteOptions): ToolResult<PlannedEdits & Installed> {
  const placed = placeInstall(plan, plan.entry, options);
  if (!placed.success) return placed;
  const { path, server } = placed.data;
  const drafted = draftNewServers(planNewServers([server], placed.data), true);
  return succeed({ path, before: drafted.before, after: drafted.after, entry: drafted.entries[0]!.entry });
}

export async function writeInstall(plan: InstallPlan, options: WriteOptions): Promise<ToolResult<Installed>> {
  const { home } = findFileToEdit({ configPath: options.place.configPath, home: options.place.home });
  return holdLock(home, LOCK, async () => {
    const free = placeInstall(plan, plan.entry, options);
    if (!free.success) return free;
    const unpacked = await unpackPlanned(plan, home);
    if (!unpacked.success) return unpacked;
    crashPoint("install.unpacked");
    const placed = placeInstall(plan, unpacked.data, options);
    if (!placed.success) return placed;
    const { path, server } = placed.data;
    const replaced = bundleAt(path, server);
    const written = await writeNewServers(planNewServers([server], placed.data), true);
    if (replaced !== undefined) removeUnused(replaced, options.place, home);
    return succeed({ path, entry: written.entries[0]!.entry });
  });
}

async function unpackPlanned(
  { entry, bundle, origin }: InstallPlan,
  home: string,
): Promise<ToolResult<JsonObject>> {
  if (bundle === undefined) return succeed(entry);
  const { archive, place, program } = bundle;
  const files = await unpackBundle(archive, { home, place, ...(program !== undefined && { program }) });
  if (!files.success) return files;
  return succeed({ ...entry, installed: literal({ ...origin, bundle: place, files: files.data }) });
}

function placeInstall(
  { key, inputs, values }: InstallPlan,
  entry: JsonObject,
  { place, replaces }: WriteOptions,
) {
  const { path, home } = findFileToEdit({ configPath: place.configPath, home: place.home });
  const placed = placeServers([{ key, entry }], { place, path, replaces });
  if (!placed.success) return placed;
  const server: NewServer = { ...placed.data[0]!, inputs, values };
  return succeed({ path, home, server });
}

// ── removing ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The bundle of an entry that is replaced or removed. */
export function bundleAt(
  path: string,
  { key, table }: { readonly key: string; readonly table?: NewServer["table"] },
): string | undefined {
  const entry = table === undefined ? undefined : objectAt(objectAt(documentAt(path), table), key);
  const place = objectAt(entry, "installed")?.["bundle"];
  return typeof place === "string" ? place : undefined;
}

/** Takes the files of a bundle away that no server of any file here uses. */
export async function removeUnusedBundle(bundle: string, place: OperatorDeps["place"]): Promise<boolean> {
  const { home } = findFileToEdit({ configPath: place.configPath, home: place.home });
  return holdLock(home, LOCK, async () => removeUnused(bundle, place, home));
}

function removeUnused(bundle: string, place: OperatorDeps["place"], home: string): boolean {
  const { servers } = listFiledServers({ configPath: place.configPath, home: place.home });
  const isUsed = servers.some(({ path, key, table }) => bundleAt(path, { key, table }) === bundle);
  return !isUsed && removeBundle(home, bundle);
}
