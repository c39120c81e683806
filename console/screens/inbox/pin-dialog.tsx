import type { ReactNode } from "react";
import { urlOf } from "../../api/client.ts";
import type { useAct } from "../../api/queries.ts";
import { twinText } from "../../api/twin.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { countOf } from "../../parts/format.ts";
import { SentRequest } from "../../parts/sent-request.tsx";
import { Visible } from "../../parts/visible.tsx";
import type { HeldPin } from "./held-detail.tsx";

export interface PinDialogProps {
  /** Of one server. */
  readonly pins: readonly HeldPin[];
  readonly isApprove: boolean;
  readonly decide: ReturnType<typeof useAct<"decidePins">>;
  readonly onClose: () => void;
}

/** As many as the gateway takes at once. */
const DECIDED_MAX = 2_000;

/** The decision names the hash of what is shown: if the server offers something else by now, nothing is decided. */
export function PinDialog({ pins, isApprove, decide, onClose }: PinDialogProps): ReactNode {
  const decided = pins.slice(0, DECIDED_MAX);
  const input = {
    params: { server: decided[0]?.server ?? "" },
    body: {
      approve: isApprove,
      pins: decided.map(({ kind, name, offered_hash: hash }) => ({ kind, name, offered_hash: hash })),
    },
  };
  const what = decided.length === 1 ? "this definition" : countOf(decided.length, "definition");
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      onConfirm={() => decide.mutate(input)}
      busy={decide.isPending}
      danger={!isApprove}
      title={isApprove ? `Approve exactly ${what}?` : `Reject ${what}?`}
      confirm={isApprove ? "Approve" : "Reject"}
      command={twinText("decidePins", input)}
    >
      <p className="text-muted">
        {isApprove
          ? "Clients see and can use what is offered now. What changes after that is held again."
          : "It stays hidden from clients until the server offers something else."}
      </p>
      {decided.length > 1 && <PinNames pins={decided} />}
      <SentRequest method="POST" url={urlOf("decidePins", input)} body={input.body} />
    </ConfirmDialog>
  );
}

function PinNames({ pins }: { readonly pins: readonly HeldPin[] }): ReactNode {
  return (
    <p className="foreign max-h-40 overflow-auto font-mono text-xs">
      <Visible text={pins.map(({ kind, name }) => (name === "" ? kind : name)).join(", ")} />
    </p>
  );
}
