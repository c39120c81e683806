import { useNavigate } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { toolErrorOf } from "../../api/api-error.ts";
import { requestOf, type Answer } from "../../api/client.ts";
import { useAct } from "../../api/queries.ts";
import { twinText } from "../../api/twin.ts";
import { Button } from "../../parts/button.tsx";
import { CommandTwin } from "../../parts/command-twin.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorText } from "../../parts/error-state.tsx";
import { Field, Input } from "../../parts/field.tsx";
import { SentRequest } from "../../parts/sent-request.tsx";
import { toast } from "../../parts/toast-store.ts";
import type { ItemDetails } from "./item-details.ts";

export interface NameDialogProps {
  readonly kind: "rename" | "alias";
  readonly item: ItemDetails;
  readonly onClose: () => void;
}

const TEXTS = {
  rename: {
    title: "Rename",
    about: "The old name stays as an alias: what calls it still works.",
    label: "New name",
    act: "Rename",
  },
  alias: {
    title: "Add an alias to",
    about: "The item can be called by this name too.",
    label: "Other name",
    act: "Add",
  },
} as const;

/** Asks for another name of an item, and shows what will be sent while it is written. */
export function NameDialog({ kind, item, onClose }: NameDialogProps): ReactNode {
  const [text, setText] = useState(kind === "rename" ? item.name : "");
  const navigate = useNavigate();
  const onSuccess = (answer: Answer<"renameItem">) => {
    toast({
      tone: "ok",
      title:
        kind === "rename" ? `It is called ${answer.name} now` : `Also called ${answer.aliases.join(", ")}`,
    });
    onClose();
    if (kind === "rename")
      void navigate({ to: "/library/$name", params: { name: answer.name }, replace: true });
  };
  const rename = useAct("renameItem", { quiet: true, onSuccess });
  const alias = useAct("aliasItem", { quiet: true, onSuccess });
  const act = kind === "rename" ? rename : alias;
  const name = text.trim();
  const params = { name: item.name };
  const isReady = name !== "" && name !== item.name;
  const send = () => {
    if (!isReady || act.isPending) return;
    if (kind === "rename") rename.mutate({ params, body: { to: name } });
    else alias.mutate({ params, body: { alias: name } });
  };
  const { title, about, label, act: verb } = TEXTS[kind];
  const route = kind === "rename" ? "renameItem" : "aliasItem";
  const body = kind === "rename" ? { to: name } : { alias: name };
  return (
    <Dialog
      open
      onClose={onClose}
      title={`${title} ${item.name}`}
      description={about}
      size="sm"
      footer={
        <>
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button look="primary" busy={act.isPending} disabled={!isReady} onClick={send}>
            {verb}
          </Button>
        </>
      }
    >
      <div className="space-y-3">
        <Field label={label} hint="namespace:action" required>
          {(control) => (
            <Input
              {...control}
              className="font-mono text-xs"
              value={text}
              // oxlint-disable-next-line jsx-a11y/no-autofocus -- the dialog is for this field
              autoFocus
              onChange={(event) => setText(event.target.value)}
              onKeyDown={(event) => {
                if (event.key === "Enter") send();
              }}
            />
          )}
        </Field>
        <SentRequest {...requestOf(route, { params, body })} />
        {act.isError && <ErrorText error={toolErrorOf(act.error)} />}
        <CommandTwin command={twinText(route, { params, body }) ?? ""} />
      </div>
    </Dialog>
  );
}
