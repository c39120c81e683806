import type { ReactNode } from "react";
import { Checkbox, Field, Input } from "../../parts/field.tsx";
import { Visible } from "../../parts/visible.tsx";
import { sameArguments, timesProblem, type RememberChoice, type SameArgument } from "./remember-choice.ts";

export interface RememberFieldsProps {
  readonly args: unknown;
  readonly choice: RememberChoice;
  readonly onChange: (choice: RememberChoice) => void;
}

/** Long values are in the arguments themselves. */
const VALUE_CHARS = 80;

/** How far the rule goes: which arguments must be the same, how often, for which script. */
export function RememberFields({ args, choice, onChange }: RememberFieldsProps): ReactNode {
  const toggle = (name: string, isOn: boolean) =>
    onChange({
      ...choice,
      same: isOn ? [...choice.same, name] : choice.same.filter((each) => each !== name),
    });
  const named = sameArguments(args);
  return (
    <div className="space-y-4">
      {named.length > 0 && (
        <fieldset>
          <legend className="mb-1 font-medium">Only with the same</legend>
          <div className="grid gap-1">
            {named.map((argument) => (
              <SameBox
                key={argument.name}
                argument={argument}
                isOn={choice.same.includes(argument.name)}
                onChange={(isOn) => toggle(argument.name, isOn)}
              />
            ))}
          </div>
          <p className="mt-1 text-xs text-muted">Without any, the rule allows the tool with all arguments.</p>
        </fieldset>
      )}
      <Field
        label="Times"
        hint="After so many calls it is asked again. Empty: no limit."
        error={timesProblem(choice)}
      >
        {(control) => (
          <Input
            {...control}
            inputMode="numeric"
            className="max-w-32"
            value={choice.times}
            onChange={(event) => onChange({ ...choice, times: event.target.value })}
          />
        )}
      </Field>
      <Checkbox
        label="Only for the script that asks: other code of the same caller is asked about again"
        checked={choice.isScript}
        onChange={(event) => onChange({ ...choice, isScript: event.target.checked })}
      />
    </div>
  );
}

interface SameBoxProps {
  readonly argument: SameArgument;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

function SameBox({ argument: { name, value, problem }, isOn, onChange }: SameBoxProps): ReactNode {
  return (
    <Checkbox
      disabled={problem !== undefined}
      title={problem}
      checked={isOn}
      onChange={(event) => onChange(event.target.checked)}
      label={
        <span className="foreign">
          <code className="font-mono text-xs">
            <Visible text={name} />
          </code>
          <span className="text-muted">
            {" = "}
            <Visible text={JSON.stringify(value)} max={VALUE_CHARS} />
          </span>
          {problem !== undefined && <span className="block text-xs text-faint">{problem}</span>}
        </span>
      }
    />
  );
}
