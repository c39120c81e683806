import type { ReactNode } from "react";
import { requestOf } from "../../../api/client.ts";
import { twinText } from "../../../api/twin.ts";
import { ConfirmDialog } from "../../../parts/confirm-dialog.tsx";
import { SentRequest } from "../../../parts/sent-request.tsx";
import { Visible } from "../../../parts/visible.tsx";
import type { ToolDetails } from "../tool-details.ts";
import type { JsonObject } from "../written-call.ts";

export interface ConfirmCallProps {
  readonly tool: ToolDetails;
  readonly args: JsonObject;
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onConfirm: () => void;
}

/** Before a call that may destroy something: exactly what is sent, and where. */
export function ConfirmCall({ tool, args, open, onClose, onConfirm }: ConfirmCallProps): ReactNode {
  const { name, server, decision } = tool;
  return (
    <ConfirmDialog
      open={open}
      onClose={onClose}
      onConfirm={onConfirm}
      title={`Call ${name}?`}
      confirm="Make the call"
      danger
      command={twinText("callTool", { params: { tool: name }, body: { args } })}
    >
      <p>
        <EffectText decision={decision} />
        {server !== undefined && <TargetText server={server} />}
        {decision?.do === "ask" && " The rule asks a person first: the call then waits in the inbox."}
      </p>
      <SentRequest {...requestOf("callTool", { params: { tool: tool.tool }, body: { args } })} />
    </ConfirmDialog>
  );
}

function EffectText({ decision }: Pick<ToolDetails, "decision">): ReactNode {
  if (decision === null)
    return "What it does depends on its arguments: it can make calls that destroy something.";
  return (
    <>
      It may destroy something: <Visible text={decision.effect_from} max={300} />.
    </>
  );
}

function TargetText({ server }: { readonly server: string }): ReactNode {
  return (
    <>
      {" "}
      The call goes to the server{" "}
      <strong className="font-medium">
        <Visible text={server} max={100} />
      </strong>{" "}
      and takes effect at once.
    </>
  );
}
