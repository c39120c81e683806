import { useId, type ReactNode } from "react";
import { cx } from "./class-names.ts";

export interface ChoiceProps<Value extends string> {
  /** What is chosen, for screen readers. */
  readonly label: string;
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly label: string }[];
  readonly onChange: (value: Value) => void;
}

/** One of a few, all in sight: radio buttons that look like a switch. */
export function Choice<Value extends string>({
  label,
  value,
  options,
  onChange,
}: ChoiceProps<Value>): ReactNode {
  const name = useId();
  return (
    <div role="radiogroup" aria-label={label} className="inline-flex h-7 shrink-0 rounded-md bg-active p-0.5">
      {options.map((option) => (
        <label
          key={option.value}
          className={cx(
            "relative inline-flex items-center rounded-sm px-2.5 text-xs font-medium has-focus-visible:outline-2 has-focus-visible:outline-accent",
            option.value === value
              ? "bg-raised text-text inset-ring inset-ring-line-strong"
              : "text-muted hover:text-text",
          )}
        >
          <input
            type="radio"
            name={name}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
            className="absolute inset-0 m-0 cursor-default appearance-none opacity-0"
          />
          {option.label}
        </label>
      ))}
    </div>
  );
}
