import { useState, type SyntheticEvent, type ReactNode } from "react";
import { toolErrorOf } from "../../api/api-error.ts";
import { useAct } from "../../api/queries.ts";
import { useMay } from "../../api/session.ts";
import { twinText } from "../../api/twin.ts";
import { Button } from "../../parts/button.tsx";
import { CommandTwin } from "../../parts/command-twin.tsx";
import { ErrorText } from "../../parts/error-state.tsx";
import { Field, Input } from "../../parts/field.tsx";
import { toast } from "../../parts/toast-store.ts";
import { Visible } from "../../parts/visible.tsx";
import { DetailFrame } from "./detail-frame.tsx";
import type { DetailProps } from "./inbox-detail.tsx";
import { NotAllowed } from "./not-allowed.tsx";

/** A value that a server needs. It is sent once and never shown again. */
export function InputDetail({ item }: DetailProps): ReactNode {
  const input = item.subject;
  const [value, setValue] = useState("");
  const maySet = useMay("setInput");
  const set = useAct("setInput", {
    quiet: true,
    onSuccess: () => {
      setValue("");
      toast({ tone: "ok", title: `The value of ${input} is kept` });
    },
  });
  const send = (event: SyntheticEvent) => {
    event.preventDefault();
    if (value !== "" && !set.isPending) set.mutate({ params: { input }, body: { value } });
  };
  const form = "set-input";
  return (
    <DetailFrame
      item={item}
      title={input}
      actions={
        maySet ? (
          <Button look="primary" type="submit" form={form} disabled={value === ""} busy={set.isPending}>
            Save the value
          </Button>
        ) : (
          <NotAllowed scope="admin" command={item.command} />
        )
      }
    >
      <p className="foreign max-w-prose text-base">
        <Visible text={sentence(item.title)} />
      </p>
      {maySet && (
        <form id={form} onSubmit={send} className="max-w-md">
          <Field label="Value" hint="It goes to the secrets of the gateway and is never shown again.">
            {(control) => (
              <Input
                {...control}
                type="password"
                autoComplete="new-password"
                value={value}
                onChange={(event) => setValue(event.target.value)}
              />
            )}
          </Field>
        </form>
      )}
      {set.isError && <ErrorText error={toolErrorOf(set.error)} />}
      <CommandTwin command={twinText("setInput", { params: { input } }) ?? ""} />
    </DetailFrame>
  );
}

/** The titles of the inbox are parts of sentences. */
export function sentence(text: string): string {
  return text === "" ? "" : `${text[0]!.toUpperCase()}${text.slice(1)}.`;
}
