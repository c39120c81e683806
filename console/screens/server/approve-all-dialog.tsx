import type { ReactNode } from "react";
import { toolErrorOf } from "../../api/api-error.ts";
import { useAsk } from "../../api/queries.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorText } from "../../parts/error-state.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { DecidePinsDialog } from "./decide-pins-dialog.tsx";
import { heldPins } from "./pins.ts";

export interface ApproveAllDialogProps {
  readonly server: string;
  readonly onClose: () => void;
}

/** Approves all that is held of a server, as it is at the moment in which the dialog opens. */
export function ApproveAllDialog({ server, onClose }: ApproveAllDialogProps): ReactNode {
  const asked = useAsk("listPins", { query: { server, all: "true" } });
  const held = heldPins(asked.data?.pins ?? []);
  if (held.length > 0) return <DecidePinsDialog server={server} pins={held} approve onClose={onClose} />;
  return (
    <Dialog open onClose={onClose} title={`Approve all of ${server}`} size="sm">
      {asked.isPending && <SkeletonRows rows={2} />}
      {asked.isError && <ErrorText error={toolErrorOf(asked.error)} />}
      {asked.isSuccess && <p>Nothing of this server is held: everything that it offers can be used.</p>}
    </Dialog>
  );
}
