import { useState, type ReactNode } from "react";
import { toolErrorOf } from "../../api/api-error.ts";
import { requestOf } from "../../api/client.ts";
import { useAct } from "../../api/queries.ts";
import { twinText } from "../../api/twin.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { ErrorText } from "../../parts/error-state.tsx";
import { countOf } from "../../parts/format.ts";
import { SentRequest } from "../../parts/sent-request.tsx";
import { toast } from "../../parts/toast-store.ts";
import { decisionOn, pinName, type Pin } from "./pins.ts";

export interface DecidePinsDialogProps {
  readonly server: string;
  readonly pins: readonly Pin[];
  readonly approve: boolean;
  readonly onClose: () => void;
}

/** Decides on exactly the definitions that were shown, by their hashes. */
export function DecidePinsDialog({
  server,
  pins: given,
  approve,
  onClose,
}: DecidePinsDialogProps): ReactNode {
  // What the server offers may change while the dialog is open: what was shown is what is sent.
  const [pins] = useState(given);
  const input = { params: { server }, body: decisionOn(pins, approve) };
  const decide = useAct("decidePins", {
    quiet: true,
    onSuccess: ({ changed }) => {
      tellOutcome(pins, changed, approve);
      onClose();
    },
  });
  const [only] = pins;
  const what =
    pins.length === 1 && only !== undefined
      ? pinName(only)
      : `${countOf(pins.length, "definition")} of ${server}`;
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={approve ? `Approve ${what}?` : `Reject ${what}?`}
      confirm={approve ? "Approve" : "Reject"}
      danger={!approve}
      busy={decide.isPending}
      onConfirm={() => decide.mutate(input)}
      command={twinText("decidePins", input)}
    >
      <p>
        {approve
          ? "What is offered now can be used, as it is with these hashes. A later change is looked at again."
          : "It stays held until the server offers something else."}
      </p>
      <SentRequest {...requestOf("decidePins", input)} />
      {decide.isError && <ErrorText error={toolErrorOf(decide.error)} />}
    </ConfirmDialog>
  );
}

function tellOutcome(
  pins: readonly Pin[],
  changed: readonly { readonly kind: string; readonly name: string }[],
  approve: boolean,
): void {
  const decided = pins.length - changed.length;
  if (decided > 0)
    toast({ tone: "ok", title: `${countOf(decided, "definition")} ${approve ? "approved" : "rejected"}` });
  if (changed.length === 0) return;
  toast({
    tone: "fail",
    title: `Not decided: ${changed.map(pinName).join(", ")}`,
    detail: "The server offers something else by now. Look at it again.",
  });
}
