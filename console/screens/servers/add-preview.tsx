import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import type { Answer, AskInput } from "../../api/client.ts";
import { CommandTwin } from "../../parts/command-twin.tsx";
import { JsonView } from "../../parts/json-view.tsx";
import { Visible } from "../../parts/visible.tsx";
import { addCommand } from "./add-command.ts";

/** An entry is never deeper: all of it is shown before it is written. */
const WHOLE_DEPTH = 9;

export interface AddPreviewProps {
  readonly checked: Answer<"addServers">;
  readonly body: AskInput<"addServers">["body"];
}

/** What will be written, where, and what a person should know first. */
export function AddPreview({ checked, body }: AddPreviewProps): ReactNode {
  const { entries, file, warnings, added } = checked;
  return (
    <section aria-label="What will be written" className="space-y-3 border-t border-line pt-3">
      <p className="foreign text-muted">
        Written to{" "}
        <code className="font-mono text-xs text-text">
          <Visible text={file} />
        </code>{" "}
        as{" "}
        <span className="font-medium text-text">
          <Visible text={added.join(", ")} />
        </span>
        :
      </p>
      <JsonView value={entries} label="The entries" depth={WHOLE_DEPTH} />
      {warnings.length > 0 && (
        <ul aria-label="Warnings" className="space-y-1.5 rounded-md bg-wait-bg px-3 py-2">
          {warnings.map((warning) => (
            <li key={warning} className="foreign flex gap-2">
              <TriangleAlert aria-hidden size={14} className="mt-0.5 shrink-0 text-wait" />
              <span>
                <Visible text={warning} />
              </span>
            </li>
          ))}
        </ul>
      )}
      <CommandTwin command={addCommand(body, checked)} />
    </section>
  );
}
