import { useEffect, useState } from "react";
import { useAsk } from "../../api/queries.ts";
import { toast } from "../../parts/toast-store.ts";
import { useUrlSearch } from "../../parts/url-search.ts";
import type { DeclaredTools } from "./declared-tools.ts";
import { keepDraft, loadDraft } from "./editor-draft.ts";
import { oneCall } from "./examples.ts";
import type { Search } from "./search.ts";

/** The text of the editor: a draft of this tab, or what the address asks for. */
export function useEditorText(declared: DeclaredTools, isDeclared: boolean) {
  const [code, setText] = useState(loadDraft);
  const setCode = (next: string) => {
    setText(next);
    keepDraft(next);
  };
  /** Puts a text into the editor; the one before it is one click away. */
  const place = (next: string, what: string) => {
    const before = code;
    setCode(next);
    if (before.trim() === "" || before === next) return;
    toast({ title: `${what} is in the editor`, action: { label: "Take back", run: () => setCode(before) } });
  };
  useAskedText(declared, isDeclared, place);
  return { code, setCode, place };
}

/** `?run=`, `?item=` and `?tool=` name a text; when it is in the editor, they leave the address. */
function useAskedText(
  declared: DeclaredTools,
  isDeclared: boolean,
  place: (text: string, what: string) => void,
): void {
  const [search, change] = useUrlSearch<Search>();
  const run = useAsk("getRun", { params: { run: search.run ?? "" } }, { enabled: search.run !== undefined });
  const item = useAsk(
    "getItem",
    { params: { name: search.item ?? "" } },
    { enabled: search.item !== undefined },
  );
  const asked = askedText(
    search,
    { run: run.data?.source, item: item.data?.source },
    isDeclared ? declared : undefined,
  );
  useEffect(() => {
    if (asked === undefined) return;
    place(asked.text, asked.what);
    change({ run: undefined, item: undefined, tool: undefined });
  }, [asked?.text]); // eslint-disable-line react-hooks/exhaustive-deps -- once for each text
}

interface Sources {
  readonly run: string | null | undefined;
  readonly item: string | undefined;
}

function askedText(search: Search, sources: Sources, declared: DeclaredTools | undefined) {
  if (search.run !== undefined && typeof sources.run === "string")
    return { text: sources.run, what: "The code of the run" };
  if (search.item !== undefined && sources.item !== undefined)
    return { text: sources.item, what: "The code of the item" };
  if (search.tool === undefined || declared === undefined) return undefined;
  const tool = findExposed(search.tool, declared);
  return tool === undefined ? undefined : { text: oneCall(tool, declared), what: "A call of the tool" };
}

/** By its exposed name, `server__tool`, or by namespace and action for what was saved. */
function findExposed(name: string, declared: DeclaredTools) {
  const parts = name.split("__");
  const candidates = parts.slice(1).map((_, at) => [parts[at]!, parts.slice(at + 1).join("__")] as const);
  return candidates
    .map(([namespace, tool]) => declared.find(namespace, tool))
    .find((found) => found !== undefined);
}
