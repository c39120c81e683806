import type { ReactNode } from "react";
import { toolErrorOf } from "../../api/api-error.ts";
import { useAsk } from "../../api/queries.ts";
import { twinText } from "../../api/twin.ts";
import { CommandTwin } from "../../parts/command-twin.tsx";
import { DiffView } from "../../parts/diff-view.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { Section } from "../../parts/page.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { Visible } from "../../parts/visible.tsx";
import { referenceOf } from "./item-reference.ts";

export interface VersionDifferenceProps {
  readonly name: string;
  readonly before: number;
  readonly after: number;
}

/** Two versions beside each other: the source line by line, the schemas in words. */
export function VersionDifference({ name, before, after }: VersionDifferenceProps): ReactNode {
  const query = { before: referenceOf(name, before), after: referenceOf(name, after) };
  const asked = useAsk("compareVersions", { query }, { keep: true });
  return (
    <Section title={`From version ${before} to ${after}`}>
      <div className="space-y-3">
        {asked.isPending && <SkeletonRows rows={6} />}
        {asked.isError && (
          <ErrorState error={toolErrorOf(asked.error)} onRetry={() => void asked.refetch()} />
        )}
        {asked.data !== undefined && (
          <>
            {asked.data.equal && <p className="text-muted">Both are the same.</p>}
            {asked.data.schemas.length > 0 && (
              <ul aria-label="Changes of the schemas" className="foreign list-disc space-y-1 pl-5">
                {asked.data.schemas.map((line) => (
                  <li key={line}>
                    <Visible text={line} />
                  </li>
                ))}
              </ul>
            )}
            {asked.data.source !== "" && (
              <div className="overflow-hidden rounded-md border border-line">
                <DiffView text={asked.data.source} label="Difference of the source" />
              </div>
            )}
          </>
        )}
        <CommandTwin command={twinText("compareVersions", { query }) ?? ""} />
      </div>
    </Section>
  );
}
