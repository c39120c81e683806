/**
 * Writing a folder of capabilities: everything is checked first, and then each file is given its name last, so that a file is
 * always whole, whatever happens between two lines; a run that dies leaves some files new and the others as they were.
 */
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { messageOf } from "../../core/errors.ts";
import { succeed, type ToolResult } from "../../core/result.ts";
import { replaceFile, SHARED_MODES } from "../../process/replace-file.ts";
import { compareText } from "../../text/compare-text.ts";
import { failOutside, findTwins, kindAt, problemsOf, readBytes, refuse } from "./folder.ts";
import { checkPortable, failWith, formatPortable, type PortableCapability } from "./portable.ts";

const WRITE_HINT = "Nothing was written.";
/** Each file takes the place of whatever has its name and follows no link. It can be written again, so it need not be flushed. */
const AS_NEW = { mode: "new", isFlushed: false, followsLink: false } as const;

export interface PortableWritten {
  /** Relative to the folder, in the order of their names. */
  readonly written: readonly string[];
  readonly unchanged: readonly string[];
}

interface PortableFile {
  readonly path: string;
  readonly text: string;
}

/** Writes one file for each capability, and only those whose text differs. It refuses everything before it writes anything. */
export async function writePortable(
  folder: string,
  items: readonly PortableCapability[],
): Promise<ToolResult<PortableWritten>> {
  const files = items.map(formatPortable).sort(byPath);
  // Reading them back refuses every name that is no name, so no path can lead out of the folder.
  const problems = files.flatMap(({ path, text }) => problemsOf(checkPortable(path, text)));
  problems.push(...findTwins(files.map(({ path }) => path)));
  if (problems.length > 0) return failWith(problems, WRITE_HINT);
  const written: string[] = [];
  try {
    await mkdir(folder, { recursive: true });
    const states = await inspectAll(folder, files);
    const refused = states.flatMap(({ refusal }) => refusal ?? []);
    if (refused.length > 0) return refuse(refused, WRITE_HINT);
    for (const { file } of states.filter(({ differs }) => differs)) {
      replaceFile(join(folder, file.path), file.text, SHARED_MODES, AS_NEW);
      written.push(file.path);
    }
    return succeed({
      written,
      unchanged: states.filter(({ differs }) => !differs).map(({ file }) => file.path),
    });
  } catch (error) {
    return failOutside(`${written.length} of ${files.length} files were written, then: ${messageOf(error)}`);
  }
}

interface FileState {
  readonly file: PortableFile;
  readonly differs: boolean;
  readonly refusal?: string;
}

async function inspectAll(folder: string, files: readonly PortableFile[]): Promise<FileState[]> {
  const states: FileState[] = [];
  for (const file of files) states.push(await inspect(folder, file));
  return states;
}

async function inspect(folder: string, file: PortableFile): Promise<FileState> {
  const namespace = dirname(file.path);
  const parent = await kindAt(join(folder, namespace));
  if (parent === undefined) return { file, differs: true };
  if (parent !== "folder")
    return { file, differs: true, refusal: `${namespace}: this is a ${parent}, not a folder` };
  const kind = await kindAt(join(folder, file.path));
  if (kind === undefined) return { file, differs: true };
  if (kind !== "file") return { file, differs: true, refusal: `${file.path}: this is a ${kind}, not a file` };
  const bytes = await readBytes(join(folder, file.path));
  return { file, differs: "problem" in bytes || !bytes.value.equals(Buffer.from(file.text)) };
}

function byPath(a: PortableFile, b: PortableFile): number {
  return compareText(a.path, b.path);
}
