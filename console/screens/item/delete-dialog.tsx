import { useNavigate } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { toolErrorOf } from "../../api/api-error.ts";
import { requestOf } from "../../api/client.ts";
import { useAct } from "../../api/queries.ts";
import { twinText } from "../../api/twin.ts";
import { Button } from "../../parts/button.tsx";
import { CommandTwin } from "../../parts/command-twin.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorText } from "../../parts/error-state.tsx";
import { Field, Input } from "../../parts/field.tsx";
import { countOf } from "../../parts/format.ts";
import { SentRequest } from "../../parts/sent-request.tsx";
import { toast } from "../../parts/toast-store.ts";
import type { ItemDetails } from "./item-details.ts";

export interface DeleteDialogProps {
  readonly item: ItemDetails;
  readonly onClose: () => void;
}

/** Deletes an item once its name was typed: clients that call it fail from then on. */
export function DeleteDialog({ item: { name, versions }, onClose }: DeleteDialogProps): ReactNode {
  const [typed, setTyped] = useState("");
  const navigate = useNavigate();
  const input = { params: { name } };
  const act = useAct("deleteItem", {
    quiet: true,
    onSuccess: ({ deleted }) => {
      toast({ tone: "ok", title: `${deleted} was deleted` });
      void navigate({ to: "/library" });
    },
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Delete ${name}?`}
      description={`With all of its ${countOf(versions.length, "version")}. Clients that call it fail; runs that used it can still be looked at and resumed.`}
      size="sm"
      footer={
        <>
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button
            look="danger"
            busy={act.isPending}
            disabled={typed.trim() !== name}
            onClick={() => act.mutate(input)}
          >
            Delete
          </Button>
        </>
      }
    >
      <div className="space-y-3">
        <Field label={`Type ${name} to confirm`}>
          {(control) => (
            <Input
              {...control}
              className="font-mono text-xs"
              value={typed}
              // oxlint-disable-next-line jsx-a11y/no-autofocus -- the dialog is for this field
              autoFocus
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
        </Field>
        <SentRequest {...requestOf("deleteItem", input)} />
        {act.isError && <ErrorText error={toolErrorOf(act.error)} />}
        <CommandTwin command={twinText("deleteItem", input) ?? ""} />
      </div>
    </Dialog>
  );
}
