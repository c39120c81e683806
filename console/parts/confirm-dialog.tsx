import type { ReactNode } from "react";
import { Button, once } from "./button.tsx";
import { CommandTwin } from "./command-twin.tsx";
import { Dialog } from "./dialog.tsx";
import { focusFirst } from "./field.tsx";

export interface ConfirmDialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onConfirm: () => void;
  readonly title: string;
  /** What will happen, exactly. */
  readonly children?: ReactNode;
  /** The verb, never "OK". */
  readonly confirm: string;
  readonly danger?: boolean;
  readonly busy?: boolean;
  /** The command that does the same. */
  readonly command?: string | undefined;
}

/** Asks before something that is not undone by pressing a key again. */
export function ConfirmDialog(props: ConfirmDialogProps): ReactNode {
  const { open, onClose, onConfirm, title, children, confirm, danger = false, busy = false, command } = props;
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={title}
      size="sm"
      footer={
        <>
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button
            look={danger ? "danger" : "primary"}
            busy={busy}
            onClick={once(onConfirm)}
            {...focusFirst(true)}
          >
            {confirm}
          </Button>
        </>
      }
    >
      <div className="space-y-3">
        {children !== undefined && <div className="space-y-3">{children}</div>}
        {command !== undefined && <CommandTwin command={command} />}
      </div>
    </Dialog>
  );
}
