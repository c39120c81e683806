import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { toolErrorOf } from "../../api/api-error.ts";
import { requestOf } from "../../api/client.ts";
import { useAct } from "../../api/queries.ts";
import { twinText } from "../../api/twin.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { ErrorText } from "../../parts/error-state.tsx";
import { SentRequest } from "../../parts/sent-request.tsx";
import { toast } from "../../parts/toast-store.ts";
import { currentVersionOf, type ItemDetails } from "./item-details.ts";

export interface RollBackDialogProps {
  readonly item: ItemDetails;
  readonly version: number;
  readonly onClose: () => void;
}

/** Makes an older version the current one. Nothing is lost: it becomes a new version. */
export function RollBackDialog({ item, version, onClose }: RollBackDialogProps): ReactNode {
  const navigate = useNavigate();
  const input = { params: { name: item.name }, body: { version } };
  const act = useAct("rollBackItem", {
    quiet: true,
    onSuccess: (answer) => {
      toast({
        tone: "ok",
        title: `${answer.name} is at version ${answer.version}, which is like version ${version}`,
      });
      onClose();
      void navigate({ to: "/library/$name", params: { name: answer.name }, search: { tab: "versions" } });
    },
  });
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Roll back to version ${version}?`}
      confirm="Roll back"
      busy={act.isPending}
      onConfirm={() => act.mutate(input)}
      command={twinText("rollBackItem", input)}
    >
      <p>
        Version {version} is saved again as version {currentVersionOf(item) + 1}, and every client uses it
        from then on. All other versions stay.
      </p>
      <SentRequest {...requestOf("rollBackItem", input)} />
      {act.isError && <ErrorText error={toolErrorOf(act.error)} />}
    </ConfirmDialog>
  );
}
