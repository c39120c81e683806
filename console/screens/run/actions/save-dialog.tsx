import { useNavigate } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { toolErrorOf } from "../../../api/api-error.ts";
import { useAct } from "../../../api/queries.ts";
import { Button } from "../../../parts/button.tsx";
import { Dialog } from "../../../parts/dialog.tsx";
import { ErrorText } from "../../../parts/error-state.tsx";
import { Checkbox, Field, Input, Textarea } from "../../../parts/field.tsx";
import { toast } from "../../../parts/toast-store.ts";
import { Visible } from "../../../parts/visible.tsx";
import { titleOf, type RunHead } from "../run-view.ts";

/** Saves what the run executed as a tool. */
export function SaveDialog({
  head,
  onClose,
}: {
  readonly head: RunHead;
  readonly onClose: () => void;
}): ReactNode {
  const [name, setName] = useState("");
  const [description, setDescription] = useState(head.intent ?? "");
  const [tags, setTags] = useState("");
  const [isOverwrite, setOverwrite] = useState(false);
  const navigate = useNavigate();
  const save = useAct("saveRun", {
    quiet: true,
    onSuccess({ tool, version }) {
      onClose();
      const open = () => void navigate({ to: "/library/$name", params: { name } });
      toast({
        tone: "ok",
        title: `Saved as ${tool}, version ${version}`,
        action: { label: "Open", run: open },
      });
    },
  });
  const isReady = name.trim() !== "" && description.trim() !== "";
  const send = () => {
    const given = tags
      .split(",")
      .map((tag) => tag.trim())
      .filter((tag) => tag !== "");
    const body = {
      name: name.trim(),
      description: description.trim(),
      ...(given.length > 0 && { tags: given }),
      ...(isOverwrite && { overwrite: true }),
    };
    if (isReady && !save.isPending) save.mutate({ params: { run: head.run_id }, body });
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title="Save to the library"
      description={
        <>
          What “<Visible text={titleOf(head)} max={80} />” executed becomes a tool that clients can call.
        </>
      }
      footer={
        <>
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button look="primary" disabled={!isReady} busy={save.isPending} onClick={send}>
            Save
          </Button>
        </>
      }
    >
      <div className="space-y-3">
        <Field label="Name" required hint="Lower case, with underscores: weekly_report">
          {(control) => (
            <Input
              {...control}
              value={name}
              onChange={(event) => setName(event.target.value)}
              maxLength={200}
            />
          )}
        </Field>
        <Field
          label="Description"
          required
          hint="What it does and when to use it: models choose tools by this text."
        >
          {(control) => (
            <Textarea
              {...control}
              rows={3}
              value={description}
              onChange={(event) => setDescription(event.target.value)}
              maxLength={2_000}
            />
          )}
        </Field>
        <Field label="Tags" hint="Separated by commas">
          {(control) => <Input {...control} value={tags} onChange={(event) => setTags(event.target.value)} />}
        </Field>
        <Checkbox
          label="Replace what has this name, as a new version"
          checked={isOverwrite}
          onChange={(event) => setOverwrite(event.target.checked)}
        />
        {save.error !== null && <ErrorText error={toolErrorOf(save.error)} />}
      </div>
    </Dialog>
  );
}
