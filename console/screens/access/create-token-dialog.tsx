import { useRef, useState, type ReactNode } from "react";
import { toolErrorOf } from "../../api/api-error.ts";
import { requestOf, type Answer } from "../../api/client.ts";
import { useAct } from "../../api/queries.ts";
import { twinText } from "../../api/twin.ts";
import { Button } from "../../parts/button.tsx";
import { CommandTwin } from "../../parts/command-twin.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorText } from "../../parts/error-state.tsx";
import { SentRequest } from "../../parts/sent-request.tsx";
import { bodyOf, EMPTY_DRAFT, findProblem } from "./token-draft.ts";
import { TokenFields } from "./token-fields.tsx";

export interface CreateTokenDialogProps {
  readonly onClose: () => void;
  readonly onMade: (made: Answer<"createToken">) => void;
}

/** Creates a token with scopes and limits; what will be sent is shown while it is chosen. */
export function CreateTokenDialog({ onClose, onMade }: CreateTokenDialogProps): ReactNode {
  const [draft, setDraft] = useState(EMPTY_DRAFT);
  const [now] = useState(() => Date.now());
  // A second click before the first is drawn would make a second token.
  const isSent = useRef(false);
  const create = useAct("createToken", { quiet: true, onSuccess: onMade });
  const body = bodyOf(draft, now);
  const problem = findProblem(draft);
  const send = () => {
    if (isSent.current) return;
    isSent.current = true;
    create.mutate({ body }, { onError: () => (isSent.current = false) });
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title="Create a token"
      description="It is shown once, when it is created."
      footer={
        <>
          {problem !== undefined && <span className="mr-auto text-muted">{problem}</span>}
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button look="primary" busy={create.isPending} disabled={problem !== undefined} onClick={send}>
            Create
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        <TokenFields draft={draft} onChange={setDraft} />
        <SentRequest {...requestOf("createToken", { body })} />
        {create.isError && <ErrorText error={toolErrorOf(create.error)} />}
        <CommandTwin command={twinText("createToken", { body }) ?? ""} />
      </div>
    </Dialog>
  );
}
