import type { CodeCompletion, CompletionAnswer } from "../../parts/code-editor.tsx";
import { optionsAt, type CodeOption } from "./completions.ts";
import type { DeclaredTools } from "./declared-tools.ts";

/** What every code has. */
const GLOBALS: readonly CodeCompletion[] = [
  { label: "mcp", type: "namespace", detail: "tools of your servers and library", boost: 2 },
  { label: "args", type: "variable", detail: "the inputs" },
  { label: "console", type: "variable", detail: "log, info, warn, error, debug" },
  { label: "await", type: "keyword" },
  { label: "return", type: "keyword" },
  { label: "const", type: "keyword" },
];

/** The completion of the editor: what the gateway declares, else the words that every code has. */
export function completeCode(
  text: string,
  position: number,
  isExplicit: boolean,
  declared: DeclaredTools,
): CompletionAnswer | undefined {
  const before = text.slice(0, position);
  const found = optionsAt(before, declared);
  if (found !== undefined) return { from: found.from, options: found.options.map(completionOf) };
  const word = /(?:^|[^\w$.'"`])([\w$]*)$/.exec(before)?.[1];
  if (word === undefined || (word === "" && !isExplicit)) return undefined;
  return { from: position - word.length, options: GLOBALS };
}

function completionOf({ label, kind, detail, doc, apply, from, rank }: CodeOption): CodeCompletion {
  return {
    label,
    type: kind,
    ...(detail !== undefined && { detail }),
    ...(doc !== undefined && { info: doc }),
    ...(apply !== undefined && { apply }),
    ...(from !== undefined && { from }),
    ...(rank !== undefined && { boost: rank }),
  };
}
