import type { ReactNode } from "react";
import type { useAct } from "../../api/queries.ts";
import { urlOf } from "../../api/client.ts";
import { twinText } from "../../api/twin.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { JsonView } from "../../parts/json-view.tsx";
import { SentRequest } from "../../parts/sent-request.tsx";
import { Visible } from "../../parts/visible.tsx";
import type { ApprovalDetails } from "./item-details.ts";
import type { WaitingItem } from "./waiting-items.ts";

export interface DecideDialogProps {
  readonly item: Pick<WaitingItem, "subject" | "question">;
  readonly approval: ApprovalDetails;
  readonly isApprove: boolean;
  readonly decide: ReturnType<typeof useAct<"decideRun">>;
  readonly onClose: () => void;
}

/** Shows once more what the answer is for. The answer names the question, so it counts for nothing else. */
export function DecideDialog({ item, approval, isApprove, decide, onClose }: DecideDialogProps): ReactNode {
  const { tool, name, args } = approval;
  const input = {
    params: { run: item.subject },
    body: { question: item.question ?? "", approve: isApprove },
  };
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      onConfirm={() => decide.mutate(input)}
      busy={decide.isPending}
      danger={!isApprove}
      title={isApprove ? "Approve this call?" : "Refuse this call?"}
      confirm={isApprove ? "Approve" : "Refuse"}
      command={twinText("decideRun", input)}
    >
      <p className="foreign text-muted">
        {isApprove ? (
          <>
            <Target>{tool ?? name}</Target> is called once, with exactly these values, when the run goes on.
          </>
        ) : (
          <>
            <Target>{tool ?? name}</Target> is not called, and the run fails there when it goes on.
          </>
        )}
      </p>
      <JsonView value={args ?? {}} label="Arguments" depth={4} />
      <SentRequest method="POST" url={urlOf("decideRun", input)} body={input.body} />
    </ConfirmDialog>
  );
}

function Target({ children }: { readonly children: string }): ReactNode {
  return (
    <code className="font-mono text-xs text-text">
      <Visible text={children} />
    </code>
  );
}
