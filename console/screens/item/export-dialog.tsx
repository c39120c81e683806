import { Download } from "lucide-react";
import type { ReactNode } from "react";
import { toolErrorOf } from "../../api/api-error.ts";
import { useAsk } from "../../api/queries.ts";
import { twinText } from "../../api/twin.ts";
import { Button } from "../../parts/button.tsx";
import { Code } from "../../parts/code.tsx";
import { CommandTwin } from "../../parts/command-twin.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { downloadText } from "../../parts/download.ts";
import { ErrorText } from "../../parts/error-state.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";

export interface ExportDialogProps {
  readonly name: string;
  readonly onClose: () => void;
}

/** The item as a file, to download or to copy. */
export function ExportDialog({ name, onClose }: ExportDialogProps): ReactNode {
  const asked = useAsk("exportItem", { params: { name } }, { keepMs: 0 });
  const file = asked.data;
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Export ${name}`}
      description="repertoire import reads this file, on this machine or another."
      size="lg"
      footer={
        file !== undefined && (
          <>
            <CopyButton text={file.text} label="Copy the text" labelled size="md" />
            <Button
              look="primary"
              icon={Download}
              onClick={() => downloadText(baseName(file.file), file.text, "text/plain")}
            >
              Download
            </Button>
          </>
        )
      }
    >
      <div className="space-y-3">
        {asked.isPending && <SkeletonRows rows={8} />}
        {asked.isError && <ErrorText error={toolErrorOf(asked.error)} />}
        {file !== undefined && (
          <Code
            text={file.text}
            language={file.file.endsWith(".json") ? "json" : "typescript"}
            label={file.file}
            className="max-h-96 rounded-md border border-line"
          />
        )}
        <CommandTwin command={twinText("exportItem", { params: { name } }) ?? ""} />
      </div>
    </Dialog>
  );
}

function baseName(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? path;
}
