import { readConfigText, type LoadOptions } from "../files/config-text.ts";
import { parseDocument } from "../files/document.ts";
import type { ConfigProblem } from "../problem.ts";
import { parseServerKey, listEntries, type SERVER_TABLES } from "./server-check.ts";

/** A server as it is written in a file, whatever is wrong with it. */
export interface FiledServer {
  readonly key: string;
  /** Absent where the key gives none. */
  readonly id?: string;
  /** The file. */
  readonly path: string;
  readonly table: (typeof SERVER_TABLES)[number];
  readonly trusted: boolean;
}

/** The servers of all files, those that count first, and what keeps a file from being parsed. */
export function listFiledServers(options: LoadOptions): {
  readonly servers: readonly FiledServer[];
  readonly problems: readonly ConfigProblem[];
} {
  const servers: FiledServer[] = [];
  const problems: ConfigProblem[] = [];
  const { files } = readConfigText(options);
  for (const { origin, file, text, trusted, problem } of byTrust(files)) {
    if (problem !== undefined || origin.path === undefined) {
      if (problem !== undefined) problems.push(problem);
      continue;
    }
    const { path } = origin;
    const parsed = parseDocument(text ?? "", file);
    if (!parsed.ok) problems.push(...parsed.problems);
    else {
      for (const { key, table } of listEntries(parsed.document.value)) {
        const id = parseServerKey(key);
        servers.push({ key, id: id.ok ? id.id : undefined, path, table, trusted });
      }
    }
  }
  return { servers, problems };
}

/** The file that something new is written to: the nearest one in force, else the user's own. */
export function findFileToEdit(options: LoadOptions): { path: string; home: string } {
  const { files, location } = readConfigText(options);
  const path = files.find(({ trusted }) => trusted)?.origin.path ?? location.candidates.at(-1)!;
  return { path, home: location.home };
}

function byTrust<T extends { readonly trusted: boolean }>(files: readonly T[]): T[] {
  return [...files].sort((a, b) => Number(b.trusted) - Number(a.trusted));
}
