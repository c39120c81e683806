import type { ReactNode } from "react";
import { readWritten } from "./hidden-characters.ts";
import { JsonView } from "./json-view.tsx";
import { Visible } from "./visible.tsx";
import { WordDiff } from "./word-diff.tsx";

export interface ValueChange {
  /** The way to the value: `inputSchema/properties/to/description`. */
  readonly path: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** What differs between two definitions, value by value: texts word by word, anything else as JSON. Nothing is left out. */
export function ValueChanges({ changes }: { readonly changes: readonly ValueChange[] }): ReactNode {
  return (
    <ul className="divide-y divide-line border-y border-line">
      {changes.map((change) => (
        <li key={change.path} className="space-y-1.5 py-2">
          <div className="foreign font-mono text-xs text-muted">
            <Visible text={change.path === "" ? "the whole definition" : change.path} /> {verbOf(change)}
          </div>
          <Change {...change} />
        </li>
      ))}
    </ul>
  );
}

function Change({ path, before, after }: ValueChange): ReactNode {
  if (isText(before) && isText(after))
    return <WordDiff before={readWritten(before ?? "")} after={readWritten(after ?? "")} />;
  return (
    <div className="grid gap-2 md:grid-cols-2">
      {before !== undefined && <JsonView value={before} label={`${path} before`} />}
      {after !== undefined && <JsonView value={after} label={`${path} now`} />}
    </div>
  );
}

function isText(value: unknown): value is string | undefined {
  return value === undefined || typeof value === "string";
}

function verbOf({ before, after }: ValueChange): string {
  if (before === undefined) return "was added";
  return after === undefined ? "was removed" : "changed";
}
