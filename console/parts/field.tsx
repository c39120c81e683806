import { ChevronDown } from "lucide-react";
import { useId, type ComponentProps, type ReactNode } from "react";
import { cx } from "./class-names.ts";

const BOX =
  "w-full min-w-0 rounded-md border border-field bg-bg px-2 text-text disabled:opacity-60 aria-invalid:border-fail-fill hover:border-muted";

export interface FieldProps {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  readonly required?: boolean;
  /** Gets what ties a control to its label, hint and error: spread it onto the control. */
  readonly children: (control: FieldControl) => ReactNode;
}

export interface FieldControl {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": true | undefined;
  readonly "aria-required": true | undefined;
}

/** A label, its control, and what is wrong with it. */
export function Field({ label, hint, error, required = false, children }: FieldProps): ReactNode {
  const id = useId();
  const described = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`]
    .filter(Boolean)
    .join(" ");
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="mb-1 flex items-baseline gap-1 font-medium">
        {label}
        {required && (
          <span aria-hidden title="Required" className="text-fail">
            *
          </span>
        )}
      </label>
      {children({
        id,
        "aria-describedby": described === "" ? undefined : described,
        "aria-invalid": error === undefined ? undefined : true,
        "aria-required": required ? true : undefined,
      })}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="foreign mt-1 text-xs text-muted">
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p id={`${id}-error`} className="foreign mt-1 text-xs text-fail">
          {error}
        </p>
      )}
    </div>
  );
}

/** In a dialog, `ModalFrame` looks for the mark; elsewhere React sets the focus. */
export function focusFirst(isFirst: boolean | undefined) {
  return isFirst === true ? { autoFocus: true, "data-autofocus": true } : {};
}

export function Input({ className, autoFocus, ...rest }: ComponentProps<"input">): ReactNode {
  return (
    <input
      autoComplete="off"
      spellCheck={false}
      {...rest}
      {...focusFirst(autoFocus)}
      className={cx(BOX, "h-7", className)}
    />
  );
}

export function Textarea({ className, autoFocus, ...rest }: ComponentProps<"textarea">): ReactNode {
  return (
    <textarea
      spellCheck={false}
      rows={4}
      {...rest}
      {...focusFirst(autoFocus)}
      className={cx(BOX, "py-1.5 leading-5", className)}
    />
  );
}

export interface SelectProps extends Omit<ComponentProps<"select">, "children"> {
  readonly options: readonly {
    readonly value: string;
    readonly label: string;
    readonly disabled?: boolean;
  }[];
}

/** The browser's own select: it works with every keyboard and screen. */
export function Select({ options, className, ...rest }: SelectProps): ReactNode {
  return (
    <span className={cx("relative inline-flex w-full min-w-0", className)}>
      <select {...rest} className={cx(BOX, "h-7 appearance-none pr-7")}>
        {options.map(({ value, label, disabled }) => (
          <option key={value} value={value} disabled={disabled}>
            {label}
          </option>
        ))}
      </select>
      <ChevronDown
        aria-hidden
        size={14}
        className="pointer-events-none absolute top-1.5 right-2 text-muted"
      />
    </span>
  );
}

export interface CheckboxProps extends Omit<ComponentProps<"input">, "type"> {
  readonly label: ReactNode;
  /** Only for screen readers, in a row of a table. */
  readonly hideLabel?: boolean;
  /** Some of what it stands for, not all. */
  readonly mixed?: boolean;
}

export function Checkbox({
  label,
  hideLabel = false,
  mixed = false,
  className,
  ...rest
}: CheckboxProps): ReactNode {
  return (
    <label className={cx("inline-flex items-start gap-2 align-top", className)}>
      <input
        {...rest}
        ref={(box) => {
          if (box !== null) box.indeterminate = mixed;
        }}
        type="checkbox"
        className="mt-[3px] size-3.5 shrink-0 accent-accent-fill"
      />
      <span className={cx(hideLabel && "sr-only")}>{label}</span>
    </label>
  );
}
