import { LoaderCircle, type LucideIcon } from "lucide-react";
import type { ComponentProps, MouseEvent, ReactNode } from "react";
import { cx } from "./class-names.ts";
import { Kbd } from "./kbd.tsx";

export type ButtonLook = "plain" | "primary" | "danger" | "quiet";
export type ButtonSize = "sm" | "md";

const LOOKS: Readonly<Record<ButtonLook, string>> = {
  plain: "border border-line-strong bg-raised text-text hover:bg-hover active:bg-active",
  primary: "border border-transparent bg-accent-fill text-on-accent hover:bg-accent-fill-hover",
  danger: "border border-line-strong bg-raised text-fail hover:bg-fail-bg",
  quiet: "border border-transparent text-muted hover:bg-hover hover:text-text active:bg-active",
};
const SIZES: Readonly<Record<ButtonSize, string>> = {
  sm: "h-6 px-2 text-xs gap-1",
  md: "h-7 px-2.5 text-sm gap-1.5",
};

/** The look of a button, for a link that is one. */
export function buttonClass(look: ButtonLook = "plain", size: ButtonSize = "md"): string {
  return cx(
    "inline-flex shrink-0 items-center justify-center rounded-md font-medium whitespace-nowrap select-none",
    "transition-colors duration-75 disabled:opacity-50 disabled:pointer-events-none aria-disabled:opacity-50",
    LOOKS[look],
    SIZES[size],
  );
}

/** Of a double click, only the first: the second comes before the button has shown that it is busy. */
export function once(act: () => void): (event: MouseEvent) => void {
  return ({ detail }) => {
    if (detail <= 1) act();
  };
}

export interface ButtonProps extends Omit<ComponentProps<"button">, "type"> {
  readonly look?: ButtonLook;
  readonly size?: ButtonSize;
  readonly icon?: LucideIcon;
  /** The key that does the same, shown in the button. */
  readonly shortcut?: string;
  readonly busy?: boolean;
  readonly type?: "button" | "submit";
}

export function Button(props: ButtonProps): ReactNode {
  const {
    look,
    size,
    icon,
    shortcut,
    busy = false,
    type = "button",
    className,
    children,
    disabled,
    ...rest
  } = props;
  const Icon = busy ? LoaderCircle : icon;
  return (
    <button
      {...rest}
      type={type === "submit" ? "submit" : "button"}
      disabled={disabled === true || busy}
      aria-busy={busy || undefined}
      className={cx(buttonClass(look, size), className)}
    >
      {Icon !== undefined && (
        <Icon aria-hidden size={14} className={cx("-ml-0.5 shrink-0", busy && "animate-spin")} />
      )}
      {children}
      {shortcut !== undefined && <Kbd keys={shortcut} look={look === "primary" ? "on-accent" : "plain"} />}
    </button>
  );
}

export interface IconButtonProps extends Omit<ButtonProps, "icon" | "children"> {
  readonly icon: LucideIcon;
  /** What it does: its name for everybody, and its title. */
  readonly label: string;
}

export function IconButton({
  icon: Icon,
  label,
  look = "quiet",
  size = "md",
  shortcut,
  busy,
  ...rest
}: IconButtonProps): ReactNode {
  const { className, disabled, type: _, ...others } = rest;
  return (
    <button
      {...others}
      type="button"
      aria-label={label}
      title={shortcut === undefined ? label : `${label} (${shortcut})`}
      disabled={disabled === true || busy === true}
      className={cx(buttonClass(look, size), size === "sm" ? "w-6 px-0!" : "w-7 px-0!", className)}
    >
      <Icon aria-hidden size={size === "sm" ? 14 : 16} className={cx(busy === true && "animate-spin")} />
    </button>
  );
}
