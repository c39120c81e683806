import type { ReactNode } from "react";
import { ModalFrame } from "../../parts/dialog.tsx";
import { GroupPanel } from "./panel/group-panel.tsx";
import { RunPanel } from "./panel/run-panel.tsx";
import { StepPanel } from "./panel/step-panel.tsx";
import type { RunHead } from "./run-view.ts";
import type { Chosen } from "./waterfall/chosen.ts";

export interface RunDetailProps {
  readonly head: RunHead;
  readonly chosen: Chosen | undefined;
  readonly onLine: (line: number) => void;
  readonly onClose: () => void;
}

/** What is chosen, in full; the run itself while nothing is. */
export function RunDetail({ head, chosen, onLine, onClose }: RunDetailProps): ReactNode {
  const isLive = head.status === "running";
  if (chosen === undefined) return <RunPanel head={head} />;
  if (chosen.isGroup) return <GroupPanel chosen={chosen} isLive={isLive} onClose={onClose} />;
  const isOwn = chosen.run === head.run_id && head.source !== null && head.language === "typescript";
  return <StepPanel chosen={chosen} isLive={isLive} onLine={isOwn ? onLine : undefined} onClose={onClose} />;
}

/** The same over the screen, from below, where there is no room beside it. */
export function RunSheet({
  children,
  onClose,
}: {
  readonly children: ReactNode;
  readonly onClose: () => void;
}): ReactNode {
  return (
    <ModalFrame onClose={onClose} label="Detail" className="mt-auto mb-0 w-full max-w-full! rounded-b-none">
      <div className="flex h-[80dvh] min-h-0 flex-col">{children}</div>
    </ModalFrame>
  );
}
