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
import { ACTION_TEXTS, type ServerAction } from "./server-action.ts";

export interface ServerActionDialogProps {
  readonly action: ServerAction;
  readonly server: string;
  readonly onClose: () => void;
}

export function ServerActionDialog({ action, server, onClose }: ServerActionDialogProps): ReactNode {
  const { route, title, about, confirm, done, isDanger = false } = ACTION_TEXTS[action];
  const navigate = useNavigate();
  const input = { params: { server } };
  const act = useAct(route, {
    quiet: true,
    onSuccess: (answer) => {
      const hasFailed = "state" in answer && answer.state === "failed";
      if (hasFailed)
        toast({
          tone: "fail",
          title: `${server} was started again, and failed`,
          detail: textOf(answer.error),
        });
      else toast({ tone: "ok", title: done(server) });
      onClose();
      if (action === "remove") void navigate({ to: "/servers" });
    },
  });
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={title(server)}
      confirm={confirm}
      danger={isDanger}
      busy={act.isPending}
      onConfirm={() => act.mutate(input)}
      command={twinText(route, input)}
    >
      <p>{about}</p>
      <SentRequest {...requestOf(route, input)} />
      {act.isError && <ErrorText error={toolErrorOf(act.error)} />}
    </ConfirmDialog>
  );
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
