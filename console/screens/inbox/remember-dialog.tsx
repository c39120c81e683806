import { useState, type ReactNode } from "react";
import { toolErrorOf } from "../../api/api-error.ts";
import { useAsk, type useAct } from "../../api/queries.ts";
import { urlOf } from "../../api/client.ts";
import { twinText } from "../../api/twin.ts";
import { Button, once } from "../../parts/button.tsx";
import { Code } from "../../parts/code.tsx";
import { CommandTwin } from "../../parts/command-twin.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorText } from "../../parts/error-state.tsx";
import { SentRequest } from "../../parts/sent-request.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Visible } from "../../parts/visible.tsx";
import type { ApprovalDetails } from "./item-details.ts";
import { RememberFields } from "./remember-fields.tsx";
import { proposalQuery, rememberBody, REMEMBER_ALL, type RememberChoice } from "./remember-choice.ts";
import type { WaitingItem } from "./waiting-items.ts";

export interface RememberDialogProps {
  readonly item: WaitingItem;
  readonly approval: ApprovalDetails;
  readonly decide: ReturnType<typeof useAct<"decideRun">>;
  readonly onClose: () => void;
}

/** Approves and writes a rule. The rule is asked for as it would be written; nothing is sent before it is on screen. */
export function RememberDialog({ item, approval, decide, onClose }: RememberDialogProps): ReactNode {
  const [choice, setChoice] = useState<RememberChoice>(REMEMBER_ALL);
  const question = item.question ?? "";
  const params = { run: item.subject };
  const proposal = useAsk(
    "proposeRule",
    { params, query: { question, ...proposalQuery(choice) } },
    { keep: true },
  );
  const isShown = proposal.data !== undefined && !proposal.isPlaceholderData && !proposal.isError;
  const input = { params, body: { question, approve: true, remember: rememberBody(choice) } };
  return (
    <Dialog
      open
      onClose={onClose}
      title="Approve and remember"
      description="The call is approved, and a rule allows calls like it from now on."
      size="md"
      footer={
        <>
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button
            look="primary"
            disabled={!isShown}
            busy={decide.isPending}
            onClick={once(() => decide.mutate(input))}
          >
            Approve and write the rule
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        <RememberFields args={approval.args} choice={choice} onChange={setChoice} />
        <Proposal proposal={proposal} />
        <SentRequest method="POST" url={urlOf("decideRun", input)} body={input.body} />
        <CommandTwin command={twinText("decideRun", input) ?? ""} />
      </div>
    </Dialog>
  );
}

function Proposal({ proposal }: { readonly proposal: ReturnType<typeof useAsk<"proposeRule">> }): ReactNode {
  if (proposal.isError) return <ErrorText error={toolErrorOf(proposal.error)} />;
  if (proposal.data === undefined) return <Skeleton className="h-32 w-full" />;
  const { rule, file } = proposal.data;
  return (
    <section aria-busy={proposal.isPlaceholderData}>
      <h3 className="mb-1 font-medium">This rule is written in front of yours</h3>
      <Code text={JSON.stringify(rule, null, 2)} language="json" label="The rule" />
      <p className="foreign mt-1 text-xs text-muted">
        to <Visible text={file} />
      </p>
    </section>
  );
}
