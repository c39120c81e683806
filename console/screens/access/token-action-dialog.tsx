import type { ReactNode } from "react";
import { toolErrorOf } from "../../api/api-error.ts";
import { requestOf, type Answer } from "../../api/client.ts";
import { useAct } from "../../api/queries.ts";
import { twinText } from "../../api/twin.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { ErrorText } from "../../parts/error-state.tsx";
import { SentRequest } from "../../parts/sent-request.tsx";
import { toast } from "../../parts/toast-store.ts";

export interface TokenActionDialogProps {
  readonly action: "revoke" | "rotate";
  readonly token: string;
  readonly onClose: () => void;
  /** With the new token, where there is one. */
  readonly onDone: (made: Answer<"rotateToken"> | undefined) => void;
}

/** Ends a token, or replaces it by a new one; both count at once. */
export function TokenActionDialog({ action, token, onClose, onDone }: TokenActionDialogProps): ReactNode {
  const revoke = useAct("revokeToken", {
    quiet: true,
    onSuccess: ({ revoked }) => {
      toast({ tone: "ok", title: `${revoked} was revoked` });
      onDone(undefined);
    },
  });
  const rotate = useAct("rotateToken", { quiet: true, onSuccess: onDone });
  const [act, route] =
    action === "revoke" ? ([revoke, "revokeToken"] as const) : ([rotate, "rotateToken"] as const);
  const input = { params: { token } };
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={action === "revoke" ? `Revoke ${token}?` : `Rotate ${token}?`}
      confirm={action === "revoke" ? "Revoke" : "Rotate"}
      danger
      busy={act.isPending}
      onConfirm={() => act.mutate(input)}
      command={twinText(route, input)}
    >
      <p>
        {action === "revoke"
          ? "It stops working at once, also for open connections. It cannot be brought back."
          : "The old text stops working at once. A new one with the same scopes and limits is shown once."}
      </p>
      <SentRequest {...requestOf(route, input)} />
      {act.isError && <ErrorText error={toolErrorOf(act.error)} />}
    </ConfirmDialog>
  );
}
