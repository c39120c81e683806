import { Menu as BaseMenu } from "@base-ui/react/menu";
import { Check, type LucideIcon } from "lucide-react";
import type { ReactElement, ReactNode } from "react";
import { cx } from "./class-names.ts";
import { Kbd } from "./kbd.tsx";
import { POPUP_CLASS, POPUP_ITEM_CLASS } from "./popup-class.ts";

export type MenuItem =
  | "line"
  | {
      readonly label: string;
      readonly run: () => void;
      readonly icon?: LucideIcon;
      readonly shortcut?: string;
      readonly danger?: boolean;
      readonly disabled?: boolean;
      /** Why it is disabled, or what it does. */
      readonly title?: string;
    };

export interface MenuProps {
  /** The button that opens it: a `Button` or an `IconButton`. */
  readonly trigger: ReactElement<Record<string, unknown>>;
  readonly items: readonly MenuItem[];
  readonly align?: "start" | "end";
}

/** Actions behind a button. */
export function Menu({ trigger, items, align = "end" }: MenuProps): ReactNode {
  return (
    <BaseMenu.Root modal={false}>
      <BaseMenu.Trigger render={trigger} />
      <BaseMenu.Portal>
        <BaseMenu.Positioner align={align} sideOffset={4} className="z-20">
          <BaseMenu.Popup className={POPUP_CLASS}>{items.map(drawItem)}</BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  );
}

function drawItem(item: MenuItem, at: number): ReactNode {
  if (item === "line") return <BaseMenu.Separator key={at} className="-mx-1 my-1 border-t border-line" />;
  const { label, run, icon: Icon, shortcut, danger = false, disabled = false, title } = item;
  return (
    <BaseMenu.Item
      key={label}
      onClick={run}
      disabled={disabled}
      title={title}
      className={cx(POPUP_ITEM_CLASS, danger && "text-fail")}
    >
      {Icon === undefined ? null : <Icon aria-hidden size={14} className={danger ? "" : "text-muted"} />}
      <span className="min-w-0 flex-1 truncate">{label}</span>
      {shortcut !== undefined && <Kbd keys={shortcut} />}
    </BaseMenu.Item>
  );
}

export interface ChoiceMenuProps {
  readonly trigger: ReactElement<Record<string, unknown>>;
  readonly options: readonly { readonly value: string; readonly label: ReactNode }[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
  /** `one`: choosing another replaces it, choosing it again takes it away. */
  readonly kind?: "one" | "many";
}

/** A choice of one or several, for filters. */
export function ChoiceMenu({
  trigger,
  options,
  chosen,
  onChange,
  kind = "many",
}: ChoiceMenuProps): ReactNode {
  const toggle = (value: string, isOn: boolean) => {
    if (kind === "one") onChange(isOn ? [value] : []);
    else
      onChange(
        options.map((each) => each.value).filter((each) => (each === value ? isOn : chosen.includes(each))),
      );
  };
  return (
    <BaseMenu.Root modal={false}>
      <BaseMenu.Trigger render={trigger} />
      <BaseMenu.Portal>
        <BaseMenu.Positioner align="start" sideOffset={4} className="z-20">
          <BaseMenu.Popup className={POPUP_CLASS}>
            {options.map(({ value, label }) => (
              <BaseMenu.CheckboxItem
                key={value}
                checked={chosen.includes(value)}
                onCheckedChange={(isOn) => toggle(value, isOn)}
                closeOnClick={kind === "one"}
                className={POPUP_ITEM_CLASS}
              >
                <span className="inline-flex size-3.5 shrink-0 items-center justify-center">
                  <BaseMenu.CheckboxItemIndicator>
                    <Check aria-hidden size={14} className="text-accent" />
                  </BaseMenu.CheckboxItemIndicator>
                </span>
                {label}
              </BaseMenu.CheckboxItem>
            ))}
          </BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  );
}
