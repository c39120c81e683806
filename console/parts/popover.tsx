import { Popover as BasePopover } from "@base-ui/react/popover";
import type { ReactElement, ReactNode } from "react";
import { cx } from "./class-names.ts";
import { POPUP_CLASS } from "./popup-class.ts";

export interface PopoverProps {
  readonly trigger: ReactElement<Record<string, unknown>>;
  /** What it is, for screen readers. */
  readonly label: string;
  readonly align?: "start" | "center" | "end";
  readonly className?: string;
  readonly children: ReactNode;
}

/** A small panel behind a button. */
export function Popover({
  trigger,
  label,
  align = "start",
  className = "w-72 p-3",
  children,
}: PopoverProps): ReactNode {
  return (
    <BasePopover.Root>
      <BasePopover.Trigger render={trigger} />
      <BasePopover.Portal>
        <BasePopover.Positioner align={align} sideOffset={4} className="z-20">
          <BasePopover.Popup aria-label={label} className={cx(POPUP_CLASS, className)}>
            {children}
          </BasePopover.Popup>
        </BasePopover.Positioner>
      </BasePopover.Portal>
    </BasePopover.Root>
  );
}
