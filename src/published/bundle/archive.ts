/**
 * A bundle is a zip file that anybody may have made. Everything about its entries is checked before the first
 * byte of one is written: names, kinds, doubles, and what they say that they are long. What comes out of them is
 * counted as well.
 */
import { crc32 } from "node:zlib";
import { createHash } from "node:crypto";
import type { Entry, ZipFile } from "yauzl";
import { messageOf } from "../../core/errors.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import { quote } from "../../text/quote.ts";
import { findNameProblem, foldPath } from "./entry-name.ts";

/** The largest that is read; a bundle with a browser or a model in it is larger, and is installed otherwise. */
export const ARCHIVE_BYTES_MAX = 256 * 1024 * 1024;
/** A server with all of its packages has a tenth of it. */
const ENTRIES_MAX = 50_000;
const UNPACKED_BYTES_MAX = 1024 * 1024 * 1024;
/** Code is packed to a fifth; what is packed to less than this is made to fill a disk. */
const RATIO_MAX = 100;
/** A small file may be packed as well as it likes. */
const RATIO_FREE_BYTES = 16 * 1024 * 1024;

interface ArchiveEntry {
  readonly path: string;
  readonly isFolder: boolean;
  readonly bytes: number;
}

export interface Archive {
  /** Of the whole file, as it was published. */
  readonly sha256: string;
  /** Whether it carries a signature; what it is worth is not checked. */
  readonly isSigned: boolean;
  readonly entries: readonly ArchiveEntry[];
  /** The content of one file, all of it. */
  read(path: string, bytesMax: number): Promise<ToolResult<Buffer>>;
  /** A file in pieces; fails where it is not what the archive says that it is. */
  chunks(path: string): AsyncIterable<Buffer>;
}

export async function openArchive(file: Buffer): Promise<ToolResult<Archive>> {
  if (file.length > ARCHIVE_BYTES_MAX) return refused(`it has more than ${ARCHIVE_BYTES_MAX} bytes`);
  const { zip: bytes, isSigned } = withoutSignature(file);
  try {
    const zip = await openZip(bytes);
    const read = await readEntries(zip, bytes.length);
    if (!read.success) return read;
    const entries = read.data;
    const chunks = (path: string): AsyncIterable<Buffer> => checkedChunks(zip, entries.get(path)!);
    return succeed({
      sha256: createHash("sha256").update(file).digest("hex"),
      isSigned,
      entries: [...entries.values()].map(viewEntry),
      chunks,
      read: (path, bytesMax) => readFile(entries.get(path), { path, bytesMax, chunks }),
    });
  } catch (error) {
    return refused(messageOf(error));
  }
}

/** yauzl refuses most names by itself, and a size that is not that of the content. */
async function openZip(bytes: Buffer): Promise<ZipFile> {
  const { default: yauzl } = await import("yauzl");
  return yauzl.fromBufferPromise(bytes, {
    lazyEntries: true,
    strictFileNames: true,
    validateEntrySizes: true,
  });
}

async function readEntries(zip: ZipFile, packedBytes: number): Promise<ToolResult<Map<string, Entry>>> {
  if (zip.entryCount > ENTRIES_MAX)
    return refused(`it has ${zip.entryCount} entries; ${ENTRIES_MAX} are allowed`);
  const entries = new Map<string, Entry>();
  const names = createNames();
  let bytes = 0;
  for await (const entry of zip.eachEntry()) {
    bytes += entry.uncompressedSize;
    const problem =
      findEntryProblem(entry) ?? names.add(entry.fileName) ?? findSizeProblem(bytes, packedBytes);
    if (problem !== undefined) return refused(problem);
    entries.set(entry.fileName, entry);
  }
  return succeed(entries);
}

const TYPE_MASK = 0o170000;
const FILE_TYPE = 0o100000;
const FOLDER_TYPE = 0o040000;
const STORED = 0;
const DEFLATED = 8;

function findEntryProblem(entry: Entry): string | undefined {
  const { fileName, externalFileAttributes, compressionMethod } = entry;
  const problem = findNameProblem(fileName);
  if (problem !== undefined) return problem;
  const shown = quote(fileName, 200);
  // The high half is what Unix says of the file, whoever made the archive.
  const type = (externalFileAttributes >>> 16) & TYPE_MASK;
  const expected = fileName.endsWith("/") ? FOLDER_TYPE : FILE_TYPE;
  if (type !== 0 && type !== expected)
    return `${shown} is a link, a device or something else that is no file`;
  if (entry.isEncrypted()) return `${shown} is encrypted`;
  if (![STORED, DEFLATED].includes(compressionMethod)) return `${shown} is packed in a way that is not known`;
  if (fileName.endsWith("/") && entry.uncompressedSize > 0) return `${shown} is a folder with a content`;
  return undefined;
}

function findSizeProblem(bytes: number, packedBytes: number): string | undefined {
  if (bytes > UNPACKED_BYTES_MAX) return `it unpacks to more than ${UNPACKED_BYTES_MAX} bytes`;
  const isBomb = bytes > RATIO_FREE_BYTES && bytes > RATIO_MAX * packedBytes;
  return isBomb ? `it unpacks to more than ${RATIO_MAX} times its size` : undefined;
}

/** Two entries that one system takes for the same file, or a file that another needs as its folder. */
function createNames() {
  const spelled = new Map<string, string>();
  const files = new Set<string>();
  return {
    add(name: string): string | undefined {
      const path = name.replace(/\/$/, "");
      const folded = foldPath(path);
      const isFolder = name.endsWith("/");
      if (files.has(folded) || (spelled.has(folded) && (!isFolder || spelled.get(folded) !== path)))
        return `${quote(name, 200)} is there twice`;
      if (!isFolder) files.add(folded);
      spelled.set(folded, path);
      for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
        const parent = path.slice(0, end);
        const key = foldPath(parent);
        if (files.has(key) || (spelled.get(key) ?? parent) !== parent)
          return `${quote(name, 200)} is in a folder that is also something else`;
        spelled.set(key, parent);
      }
      return undefined;
    },
  };
}

function viewEntry({ fileName, uncompressedSize }: Entry): ArchiveEntry {
  const isFolder = fileName.endsWith("/");
  return { path: isFolder ? fileName.slice(0, -1) : fileName, isFolder, bytes: uncompressedSize };
}

/** yauzl compares the size; the checksum is compared here. */
async function* checkedChunks(zip: ZipFile, entry: Entry): AsyncGenerator<Buffer> {
  let sum = 0;
  for await (const chunk of (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
    sum = crc32(chunk, sum);
    yield chunk;
  }
  if (sum !== entry.crc32)
    throw new Error(`${quote(entry.fileName, 200)} is damaged: its checksum is another`);
}

async function readFile(
  entry: Entry | undefined,
  { path, bytesMax, chunks }: { path: string; bytesMax: number; chunks: Archive["chunks"] },
): Promise<ToolResult<Buffer>> {
  if (entry === undefined || entry.fileName.endsWith("/")) return refused(`it has no ${path}`);
  if (entry.uncompressedSize > bytesMax) return refused(`its ${path} has more than ${bytesMax} bytes`);
  try {
    const parts: Buffer[] = [];
    for await (const chunk of chunks(path)) parts.push(chunk);
    return succeed(Buffer.concat(parts));
  } catch (error) {
    return refused(messageOf(error));
  }
}

const SIGNATURE_BEGIN = Buffer.from("MCPB_SIG_V1");
const SIGNATURE_END = Buffer.from("MCPB_SIG_END");

/** A signature is put behind the zip file. */
function withoutSignature(file: Buffer): { readonly zip: Buffer; readonly isSigned: boolean } {
  const isMarked = file.subarray(-SIGNATURE_END.length).equals(SIGNATURE_END);
  const at = isMarked ? file.lastIndexOf(SIGNATURE_BEGIN) : -1;
  return at === -1 ? { zip: file, isSigned: false } : { zip: file.subarray(0, at), isSigned: true };
}

export function refused(what: string): ToolResult<never> {
  return fail("SECURITY_ERROR", `The bundle is refused: ${what}.`, {
    reason: "bundle_refused",
    hint: "Nothing was unpacked. Get the bundle again from where its publisher offers it.",
  });
}
