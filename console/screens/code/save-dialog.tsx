import { useNavigate } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { toolErrorOf } from "../../api/api-error.ts";
import { useAct } from "../../api/queries.ts";
import { twinText } from "../../api/twin.ts";
import { Button } from "../../parts/button.tsx";
import { CommandTwin } from "../../parts/command-twin.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorText } from "../../parts/error-state.tsx";
import { Checkbox, Field, Input, Textarea } from "../../parts/field.tsx";
import { toast } from "../../parts/toast-store.ts";

export interface SaveDialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  /** What the gateway calls the code that ran. */
  readonly draft: string | undefined;
}

/** Saves what ran under a name: it is a tool from then on. */
export function SaveDialog({ open, onClose, draft }: SaveDialogProps): ReactNode {
  return open && draft !== undefined ? <SaveForm onClose={onClose} draft={draft} /> : null;
}

function SaveForm({ onClose, draft }: { readonly onClose: () => void; readonly draft: string }): ReactNode {
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const [isOver, setOver] = useState(false);
  const navigate = useNavigate();
  const final = name.trim();
  const body = {
    draft_name: draft,
    final_name: final,
    description: description.trim(),
    ...(isOver && { overwrite: true }),
  };
  const save = useAct("saveDraft", {
    quiet: true,
    onSuccess: ({ tool, version }) => {
      onClose();
      const open = () => void navigate({ to: "/library/$name", params: { name: final } });
      toast({
        tone: "ok",
        title: `Saved as version ${version} of ${tool}`,
        action: { label: "Open", run: open },
      });
    },
  });
  const isReady = final !== "" && body.description !== "" && !save.isPending;
  const send = () => {
    if (isReady) save.mutate({ body });
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title="Save to the library"
      description="It becomes a tool that every client and other code can call."
      footer={
        <>
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button look="primary" busy={save.isPending} disabled={!isReady} onClick={send}>
            Save
          </Button>
        </>
      }
    >
      <div className="space-y-3">
        <Field label="Name" required hint="A namespace and an action, for example reports:weekly">
          {(field) => (
            <Input
              {...field}
              value={name}
              maxLength={200}
              // oxlint-disable-next-line jsx-a11y/no-autofocus -- the first field of a dialog that was opened to fill it
              autoFocus
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        <Field
          label="Description"
          required
          hint="What it does and when to use it: agents find it by these words"
        >
          {(field) => (
            <Textarea
              {...field}
              rows={3}
              maxLength={2_000}
              value={description}
              onChange={(event) => setDescription(event.target.value)}
            />
          )}
        </Field>
        <Checkbox
          label="A new version, where the name is taken"
          checked={isOver}
          onChange={(event) => setOver(event.target.checked)}
        />
        {save.isError && <ErrorText error={toolErrorOf(save.error)} />}
        <CommandTwin command={twinText("saveDraft", { body }) ?? ""} />
      </div>
    </Dialog>
  );
}
