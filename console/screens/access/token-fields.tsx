import { useId, type ReactNode } from "react";
import { useAsk } from "../../api/queries.ts";
import { Checkbox, Field, Input, Select, Textarea } from "../../parts/field.tsx";
import { EFFECTS, SCOPES, withChoice, type TokenDraft } from "./token-draft.ts";

const SCOPE_ABOUT = {
  read: "list and read",
  call: "run tools and code",
  write: "change the library, decide",
  admin: "servers, tokens, everything else",
} as const;
const EFFECT_ABOUT = { read: "only reads", write: "changes something", destroy: "may destroy" } as const;

const EXPIRIES = [
  { value: "1", label: "In 1 day" },
  { value: "7", label: "In 7 days" },
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
  { value: "date", label: "On a day…" },
  { value: "", label: "Never" },
];

export interface TokenFieldsProps {
  readonly draft: TokenDraft;
  readonly onChange: (draft: TokenDraft) => void;
}

export function TokenFields({ draft, onChange }: TokenFieldsProps): ReactNode {
  const profiles = useAsk("listProfiles", {}).data?.profiles ?? [];
  const set = (patch: Partial<TokenDraft>) => onChange({ ...draft, ...patch });
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field label="Name" hint="Who or what it is for: laptop, ci." required>
        {(control) => (
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- the first field of the dialog
          <Input
            {...control}
            autoFocus
            maxLength={100}
            value={draft.name}
            onChange={(event) => set({ name: event.target.value })}
          />
        )}
      </Field>
      <div className="space-y-2">
        <Field label="Expires">
          {(control) => (
            <Select
              {...control}
              options={EXPIRIES}
              value={draft.expires}
              onChange={(event) => set({ expires: event.target.value })}
            />
          )}
        </Field>
        {draft.expires === "date" && (
          <Input
            aria-label="The day on which it ends"
            type="date"
            value={draft.date}
            onChange={(event) => set({ date: event.target.value })}
          />
        )}
      </div>
      <Choices
        title="Scopes"
        options={SCOPES.map((scope) => ({ value: scope, about: SCOPE_ABOUT[scope] }))}
        chosen={draft.scopes}
        onChange={(scopes) => set({ scopes })}
      />
      <Choices
        title="Effects of its calls"
        options={EFFECTS.map((effect) => ({ value: effect, about: EFFECT_ABOUT[effect] }))}
        chosen={draft.effects}
        onChange={(effects) => set({ effects })}
      />
      {profiles.length > 0 && (
        <Choices
          title="Profiles"
          note="None chosen: every profile and the whole gateway."
          options={profiles.map(({ name }) => ({ value: name, about: "" }))}
          chosen={draft.profiles}
          onChange={(chosen) => set({ profiles: chosen })}
        />
      )}
      <Field label="Tools" hint="Patterns such as github__*, one in each line. Empty: all.">
        {(control) => (
          <Textarea
            {...control}
            rows={3}
            className="font-mono text-xs"
            value={draft.tools}
            onChange={(event) => set({ tools: event.target.value })}
          />
        )}
      </Field>
    </div>
  );
}

interface ChoicesProps<Value extends string> {
  readonly title: string;
  readonly note?: string;
  readonly options: readonly { readonly value: Value; readonly about: string }[];
  readonly chosen: readonly Value[];
  readonly onChange: (chosen: readonly Value[]) => void;
}

function Choices<Value extends string>({
  title,
  note,
  options,
  chosen,
  onChange,
}: ChoicesProps<Value>): ReactNode {
  const id = useId();
  return (
    <div role="group" aria-labelledby={id} className="min-w-0">
      <div id={id} className="mb-1 font-medium">
        {title}
      </div>
      <div className="flex max-h-40 flex-col gap-1 overflow-auto">
        {options.map(({ value, about }) => (
          <Checkbox
            key={value}
            label={
              <>
                {value} {about !== "" && <span className="text-muted">{about}</span>}
              </>
            }
            checked={chosen.includes(value)}
            onChange={(event) => onChange(withChoice(chosen, value, event.target.checked))}
          />
        ))}
      </div>
      {note !== undefined && <p className="mt-1 text-xs text-muted">{note}</p>}
    </div>
  );
}
