/**
 * Adds servers in two steps: first the gateway says what it would write and what is unusual about it, then exactly that is
 * added. Whatever is edited in between has to be checked again.
 */
import { useNavigate } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { useAct } from "../../api/queries.ts";
import { useSession } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { countOf } from "../../parts/format.ts";
import { toast } from "../../parts/toast-store.ts";
import { AddFields, type AddDraft } from "./add-fields.tsx";
import { AddPreview } from "./add-preview.tsx";
import { AddRefused } from "./add-refused.tsx";

const EMPTY: AddDraft = { given: "", name: "", replace: false };

export function AddServersDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [draft, setDraft] = useState(EMPTY);
  const { may_add_programs: mayAddPrograms } = useSession();
  const navigate = useNavigate();
  const check = useAct("addServers", { quiet: true });
  const add = useAct("addServers", {
    quiet: true,
    onSuccess: ({ added }) => {
      toast({ tone: "ok", title: `Added ${added.join(", ")}` });
      const [only] = added;
      if (added.length === 1 && only !== undefined)
        void navigate({ to: "/servers/$server", params: { server: only } });
      else onClose();
    },
  });
  const change = (next: AddDraft) => {
    setDraft(next);
    check.reset();
    add.reset();
  };
  const checked = check.data;
  const refused = add.error ?? check.error;
  return (
    <Dialog
      open
      onClose={onClose}
      title="Add servers"
      description="Nothing is written before you have seen it."
      size="md"
      footer={
        <>
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          {checked === undefined ? (
            <Button
              look="primary"
              busy={check.isPending}
              disabled={draft.given.trim() === ""}
              onClick={() => check.mutate({ body: { ...bodyOf(draft), dry_run: true } })}
            >
              Check
            </Button>
          ) : (
            <Button look="primary" busy={add.isPending} onClick={() => add.mutate({ body: bodyOf(draft) })}>
              Add {countOf(checked.added.length, "server")}
            </Button>
          )}
        </>
      }
    >
      <div className="space-y-4">
        <AddFields draft={draft} onChange={change} mayAddPrograms={mayAddPrograms} />
        {refused !== null && <AddRefused failure={refused} body={bodyOf(draft)} checked={checked} />}
        {checked !== undefined && <AddPreview checked={checked} body={bodyOf(draft)} />}
      </div>
    </Dialog>
  );
}

/** What is sent; what was left empty is left out. */
function bodyOf({ given, name, replace }: AddDraft) {
  return {
    given: given.trim(),
    ...(name.trim() !== "" && { name: name.trim() }),
    ...(replace && { replace }),
  };
}
