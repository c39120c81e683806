/** A bundle that was read and not unpacked: from a file, from an address with its hash, or as a registry names it. */
import { readFile, stat } from "node:fs/promises";
import { messageOf } from "../../../core/errors.ts";
import { fail, succeed, type ToolResult } from "../../../core/result.ts";
import { ARCHIVE_BYTES_MAX, openArchive, refused, type Archive } from "../../../published/bundle/archive.ts";
import { launchBundle } from "../../../published/bundle/manifest-launch.ts";
import { readManifest } from "../../../published/bundle/manifest.ts";
import { bundleFilesAt, bundlePlaceOf } from "../../../published/bundle/unpack.ts";
import type { Launch } from "../../../published/launch.ts";
import { malformed } from "../../../published/package-launch.ts";
import type { PublishedPackage } from "../../../published/server-json.ts";
import type { ServerRegistry } from "../../../published/server-registry.ts";
import { quote } from "../../../text/quote.ts";
import { makeVisible } from "../../../text/visible-text.ts";

export interface OpenedBundle {
  readonly archive: Archive;
  readonly sha256: string;
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly isSigned: boolean;
  /** Where it will be, below the folder of bundles. */
  readonly place: string;
  readonly launch: Launch;
  /** The file in it that must be executable. */
  readonly program?: string;
}

async function openBundle(file: Buffer, home: string): Promise<ToolResult<OpenedBundle>> {
  const archive = await openArchive(file);
  if (!archive.success) return archive;
  const manifest = await readManifest(archive.data);
  if (!manifest.success) return manifest;
  const { sha256, isSigned } = archive.data;
  const { name, version, description } = manifest.data;
  const place = bundlePlaceOf(name, sha256);
  const started = launchBundle(manifest.data, archive.data, bundleFilesAt(home, place));
  if (!started.success) return started;
  const { launch, program } = started.data;
  return succeed({
    archive: archive.data,
    sha256,
    name: makeVisible(name),
    version: makeVisible(version),
    description: makeVisible(description),
    isSigned,
    place,
    launch,
    ...(program !== undefined && { program }),
  });
}

export async function openBundleFile(path: string, home: string): Promise<ToolResult<OpenedBundle>> {
  try {
    const { size } = await stat(path);
    if (size > ARCHIVE_BYTES_MAX) return refused(`it has more than ${ARCHIVE_BYTES_MAX} bytes`);
    return await openBundle(await readFile(path), home);
  } catch (error) {
    return fail("TOOL_NOT_FOUND", `The bundle cannot be read: ${messageOf(error)}.`, { field: "name" });
  }
}

/** Where anybody can put another file at the same address, only the hash says which one is meant. */
export async function fetchBundle(
  address: string,
  sha256: string,
  { registry, home }: { readonly registry: ServerRegistry; readonly home: string },
): Promise<ToolResult<OpenedBundle>> {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol))
    return malformed(`${quote(address, 500)} is no address of a bundle`);
  const file = await registry.download(url, ARCHIVE_BYTES_MAX);
  if (!file.success) return file;
  const opened = await openBundle(file.data, home);
  if (!opened.success) return opened;
  if (opened.data.sha256 === sha256.toLowerCase()) return opened;
  return refused(`its SHA-256 is ${opened.data.sha256}, and ${sha256.toLowerCase()} was announced`);
}

export function fetchPublishedBundle(
  { identifier, fileSha256 }: PublishedPackage,
  from: { readonly registry: ServerRegistry; readonly home: string },
): Promise<ToolResult<OpenedBundle>> {
  if (fileSha256 == null) return Promise.resolve(malformed("its bundle has no SHA-256 to compare it with"));
  return fetchBundle(identifier, fileSha256, from);
}
