import { X } from "lucide-react";
import { useId, useLayoutEffect, useRef, useState, type ReactNode } from "react";
import { IconButton } from "./button.tsx";
import { cx } from "./class-names.ts";

export interface DialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** Below the title, one sentence. */
  readonly description?: ReactNode;
  /** Buttons, the one that matters last. */
  readonly footer?: ReactNode;
  readonly size?: "sm" | "md" | "lg";
  readonly children?: ReactNode;
}

const SIZES = { sm: "w-[26rem]", md: "w-[36rem]", lg: "w-[56rem]" } as const;

/** A native modal dialog: the browser keeps the focus in it, closes it with Esc and gives the focus back. */
export function Dialog({
  open,
  onClose,
  title,
  description,
  footer,
  size = "md",
  children,
}: DialogProps): ReactNode {
  const id = useId();
  if (!open) return null;
  return (
    <ModalFrame onClose={onClose} labelledBy={id} className={cx("my-auto", SIZES[size])}>
      <header className="flex items-start gap-3 px-4 pt-3 pb-2">
        <div className="min-w-0 flex-1">
          <h2 id={id} className="text-base">
            {title}
          </h2>
          {description !== undefined && <p className="mt-0.5 text-muted">{description}</p>}
        </div>
        <IconButton icon={X} label="Close" onClick={onClose} className="-mr-1.5" />
      </header>
      <div className="min-h-0 flex-1 overflow-auto px-4 pb-4">{children}</div>
      {footer !== undefined && (
        <footer className="flex flex-wrap items-center justify-end gap-2 border-t border-line px-4 py-3">
          {footer}
        </footer>
      )}
    </ModalFrame>
  );
}

export interface ModalFrameProps {
  readonly onClose: () => void;
  readonly labelledBy?: string;
  readonly label?: string;
  readonly className?: string;
  readonly children: ReactNode;
}

/** The bare dialog, for what has its own head, such as the palette. It is open while it is rendered. */
export function ModalFrame({ onClose, labelledBy, label, className, children }: ModalFrameProps): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isShown, setShown] = useState(false);
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    // React gives the focus to what has `autoFocus` when it puts it in; in a dialog that is not open yet, nothing can have it.
    setShown(true);
    return () => shown?.close();
  }, []);
  return (
    // The backdrop is for the mouse; Esc does the same.
    // eslint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions
    <dialog
      ref={dialog}
      aria-labelledby={labelledBy}
      aria-label={label}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
      className={cx(
        "mx-auto max-h-[calc(100dvh-3rem)] max-w-[calc(100vw-1.5rem)] rounded-lg bg-raised p-0 text-text shadow-pop outline-none",
        className,
      )}
    >
      {isShown && <div className="flex max-h-[calc(100dvh-3rem)] flex-col">{children}</div>}
    </dialog>
  );
}
