import { createTwoFilesPatch } from "diff";
import { useMemo, type ReactNode } from "react";
import { toolErrorOf } from "../../api/api-error.ts";
import type { Answer } from "../../api/client.ts";
import { useAsk } from "../../api/queries.ts";
import { DiffView } from "../../parts/diff-view.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorText } from "../../parts/error-state.tsx";
import { Section } from "../../parts/page.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { CompareFacts } from "./compare-facts.tsx";
import { shortId } from "./run-rows.ts";

type RunHead = Answer<"getRun">;

export interface CompareDialogProps {
  /** The older one first. */
  readonly before: string;
  readonly after: string;
  readonly onClose: () => void;
}

/** Two runs beside each other: what they are, and what differs in their source, inputs and outputs. */
export function CompareDialog({ before, after, onClose }: CompareDialogProps): ReactNode {
  const older = useAsk("getRun", { params: { run: before } });
  const newer = useAsk("getRun", { params: { run: after } });
  const failed = older.error ?? newer.error;
  return (
    <Dialog open onClose={onClose} title="Two runs" size="lg">
      {failed !== null && <ErrorText error={toolErrorOf(failed)} />}
      {failed === null && (older.data === undefined || newer.data === undefined) && <SkeletonRows rows={8} />}
      {older.data !== undefined && newer.data !== undefined && (
        <div className="space-y-5">
          <CompareFacts before={older.data} after={newer.data} />
          <Difference
            title="Source"
            before={older.data}
            after={newer.data}
            text={({ source }) => source ?? ""}
          />
          <Difference
            title="Inputs"
            before={older.data}
            after={newer.data}
            text={({ inputs }) => jsonText(inputs)}
          />
          <Difference
            title="Outputs"
            before={older.data}
            after={newer.data}
            text={({ outputs }) => jsonText(outputs)}
          />
        </div>
      )}
    </Dialog>
  );
}

interface DifferenceProps {
  readonly title: string;
  readonly before: RunHead;
  readonly after: RunHead;
  readonly text: (run: RunHead) => string;
}

/** Beyond this a comparison costs more than it shows; each run has its own page. */
const COMPARED_CHARS = 200_000;

function Difference({ title, before, after, text }: DifferenceProps): ReactNode {
  const [was, is] = [text(before), text(after)];
  const isLarge = was.length + is.length > COMPARED_CHARS;
  const patch = useMemo(
    () =>
      was === is || isLarge
        ? ""
        : createTwoFilesPatch(shortId(before.run_id), shortId(after.run_id), was, is),
    [was, is, isLarge, before.run_id, after.run_id],
  );
  return (
    <Section title={title} aside={was === is ? "the same" : undefined}>
      {isLarge && was !== is && (
        <p className="text-muted">They differ, and are too large to be compared here.</p>
      )}
      {patch !== "" && <DiffView text={patch} label={`Difference of: ${title}`} />}
    </Section>
  );
}

function jsonText(value: unknown): string {
  return value === undefined ? "" : `${JSON.stringify(value, null, 2)}\n`;
}
