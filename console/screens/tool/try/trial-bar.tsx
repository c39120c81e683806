import { Copy, Play } from "lucide-react";
import type { ReactNode } from "react";
import { curlText } from "../../../api/curl-text.ts";
import { twinText } from "../../../api/twin.ts";
import { Button } from "../../../parts/button.tsx";
import { Choice } from "../../../parts/choice.tsx";
import { CommandTwin } from "../../../parts/command-twin.tsx";
import { copyText } from "../../../parts/copy-button.tsx";
import { Menu } from "../../../parts/menu.tsx";
import { toast } from "../../../parts/toast-store.ts";
import type { ToolDetails } from "../tool-details.ts";
import type { Trial, TrialChange, TrialMode } from "../trial.ts";
import { codeOfCall, targetOfSignature } from "../written-call.ts";

const MODES: readonly { readonly value: TrialMode; readonly label: string }[] = [
  { value: "form", label: "Form" },
  { value: "json", label: "JSON" },
  { value: "code", label: "Code" },
];

export interface TrialBarProps {
  readonly tool: ToolDetails;
  readonly trial: Trial;
  readonly onChange: (change: TrialChange) => void;
  readonly onSend: () => void;
  readonly isBusy: boolean;
  /** Why it cannot be called; undefined where it can. */
  readonly reason: string | undefined;
}

/** How the arguments are written, and what can be done with them. */
export function TrialBar({ tool, trial, onChange, onSend, isBusy, reason }: TrialBarProps): ReactNode {
  const isInCode = tool.kind === "tool" || tool.kind === "kept";
  const body = { args: trial.args };
  return (
    <div className="space-y-2">
      <div className="flex flex-wrap items-center gap-2">
        <Choice
          label="Arguments as"
          value={trial.mode}
          options={isInCode ? MODES : MODES.slice(0, 2)}
          onChange={(mode) => onChange({ change: "mode", mode })}
        />
        <div className="ml-auto flex items-center gap-1.5">
          <Menu
            trigger={<Button icon={Copy}>Copy the call</Button>}
            items={copiesOf(tool, trial, isInCode)}
          />
          <Button
            look="primary"
            icon={Play}
            shortcut="mod+Enter"
            busy={isBusy}
            disabled={reason !== undefined || trial.problem !== undefined}
            onClick={onSend}
          >
            Call
          </Button>
        </div>
      </div>
      <CommandTwin command={twinText("callTool", { params: { tool: tool.name }, body }) ?? ""} />
      {reason !== undefined && <p className="text-muted">{reason}.</p>}
    </div>
  );
}

function copiesOf(tool: ToolDetails, { args }: Trial, isInCode: boolean) {
  const params = { tool: tool.tool };
  const copy = (what: string, text: string) => async () => {
    if (await copyText(text)) toast({ tone: "ok", title: `Copied as ${what}` });
  };
  const item = (label: string, text: string) => ({
    label: `As ${label}`,
    run: () => void copy(label, text)(),
  });
  return [
    item("a command", twinText("callTool", { params: { tool: tool.name }, body: { args } }) ?? ""),
    item("curl", curlText("callTool", { params, body: { args } })),
    ...(isInCode ? [item("code", codeOfCall(targetOfSignature(tool.signature), args))] : []),
    item("JSON", JSON.stringify(args, null, 2)),
  ];
}
