import type { ReactNode } from "react";
import { Checkbox, Field, Input, Textarea } from "../../parts/field.tsx";

export interface AddDraft {
  readonly given: string;
  readonly name: string;
  readonly replace: boolean;
}

export interface AddFieldsProps {
  readonly draft: AddDraft;
  readonly onChange: (draft: AddDraft) => void;
  /** Whether this gateway lets programs be added from a browser. */
  readonly mayAddPrograms: boolean;
}

const EXAMPLE = `{"mcpServers": {"files": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem@2026.1.14", "."]}}}`;

export function AddFields({ draft, onChange, mayAddPrograms }: AddFieldsProps): ReactNode {
  return (
    <div className="space-y-3">
      <Field
        label="Paste a client's JSON, a URL or a command"
        hint={
          mayAddPrograms
            ? "Secrets in it go to the secret store, and the config refers to them."
            : "From here only remote servers can be added: give a URL. Programs are added on the machine itself."
        }
        required
      >
        {(control) => (
          <Textarea
            {...control}
            rows={6}
            className="font-mono text-xs"
            placeholder={EXAMPLE}
            value={draft.given}
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- the dialog is for this field
            autoFocus
            onChange={(event) => onChange({ ...draft, given: event.target.value })}
          />
        )}
      </Field>
      <Field label="Name" hint="Left empty: as the JSON names it, or after its package or address.">
        {(control) => (
          <Input
            {...control}
            value={draft.name}
            onChange={(event) => onChange({ ...draft, name: event.target.value })}
          />
        )}
      </Field>
      <Checkbox
        label="Replace one of the same name"
        checked={draft.replace}
        onChange={(event) => onChange({ ...draft, replace: event.target.checked })}
      />
    </div>
  );
}
