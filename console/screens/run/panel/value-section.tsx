import { useCallback, type ReactNode } from "react";
import { ask } from "../../../api/client.ts";
import { CopyButton } from "../../../parts/copy-button.tsx";
import { formatBytes } from "../../../parts/format.ts";
import { isHandle, JsonView, type ValueSlice } from "../../../parts/json-view.tsx";

export interface ValueSectionProps {
  readonly title: string;
  readonly run: string;
  /** The step's number, or `outputs` for the run's own. */
  readonly step: string;
  readonly of: "args" | "result" | "inputs";
  readonly value: unknown;
  readonly depth?: number;
}

/** The gateway gives no more of a text at once. */
const SLICE_LENGTH = 65_536;

/** A value of a run. One that is large stays with the gateway: only the parts that are opened are fetched. */
export function ValueSection({ title, run, step, of, value, depth = 3 }: ValueSectionProps): ReactNode {
  const load = useCallback(
    (path: string, offset: number): Promise<ValueSlice> =>
      ask("readValue", { params: { run, step }, query: { of, path, offset, limit: SLICE_LENGTH } }),
    [run, step, of],
  );
  const isLarge = isHandle(value);
  return (
    <section className="border-t border-line px-4 py-2">
      <header className="flex h-6 items-center gap-2">
        <h3 className="text-xs font-medium text-muted">{title}</h3>
        {isLarge && <span className="text-xs text-faint">{formatBytes(value.bytes)}, fetched by parts</span>}
        <span className="ml-auto">
          {!isLarge && <CopyButton text={() => JSON.stringify(value, null, 2)} label={`Copy: ${title}`} />}
        </span>
      </header>
      <div className="-mx-1">
        {isLarge ? (
          <JsonView key={`${run}/${step}/${of}`} load={load} bytes={value.bytes} label={title} />
        ) : (
          <JsonView value={value} label={title} depth={depth} />
        )}
      </div>
    </section>
  );
}
