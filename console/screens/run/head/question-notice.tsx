import { Link } from "@tanstack/react-router";
import { ShieldQuestionMark } from "lucide-react";
import { useState, type ReactNode } from "react";
import { useAct } from "../../../api/queries.ts";
import { useMay } from "../../../api/session.ts";
import { twinText } from "../../../api/twin.ts";
import { Button, buttonClass } from "../../../parts/button.tsx";
import { CommandTwin } from "../../../parts/command-twin.tsx";
import { JsonView } from "../../../parts/json-view.tsx";
import { Countdown } from "../../../parts/time.tsx";
import { Visible } from "../../../parts/visible.tsx";
import { DecideDialog } from "../../inbox/decide-dialog.tsx";
import { approvalOf } from "../../inbox/item-details.ts";
import type { RunHead } from "../run-view.ts";
import { Notice } from "./notice.tsx";

export interface QuestionNoticeProps {
  readonly run: string;
  readonly asked: RunHead["questions"][number];
}

/** What the run asks a person: exactly what would be done, and the answer. */
export function QuestionNotice({ run, asked }: QuestionNoticeProps): ReactNode {
  const approval = approvalOf(asked, asked.message);
  const mayDecide = useMay("decideRun");
  const [answer, setAnswer] = useState<"approve" | "refuse">();
  const decide = useAct("decideRun", { onSuccess: () => setAnswer(undefined) });
  const what = approval.tool ?? approval.name;
  return (
    <Notice
      tone="wait"
      icon={ShieldQuestionMark}
      title={
        <>
          <Visible text={approval.message === "" ? `May ${what} be called?` : approval.message} max={600} />
          {asked.expires !== undefined && (
            <span className="ml-2 text-xs font-normal text-wait">
              <Countdown until={asked.expires} label="expires in" />
            </span>
          )}
        </>
      }
      actions={
        <>
          {mayDecide && (
            <>
              <Button look="primary" onClick={() => setAnswer("approve")}>
                Approve
              </Button>
              <Button look="danger" onClick={() => setAnswer("refuse")}>
                Refuse
              </Button>
            </>
          )}
          <Link to="/inbox" className={buttonClass("quiet")}>
            Inbox
          </Link>
        </>
      }
    >
      <p className="font-mono text-xs text-muted">
        <Visible text={what} max={200} />
        {approval.rule !== undefined && (
          <span className="font-sans">
            {" "}
            asked by the rule <Visible text={approval.rule} max={200} />
          </span>
        )}
      </p>
      <JsonView
        value={approval.args ?? {}}
        label="Arguments, exactly as they would be sent"
        depth={3}
        height={220}
      />
      {!mayDecide && <NotAllowed run={run} question={asked.question} />}
      {answer !== undefined && (
        <DecideDialog
          item={{ subject: run, question: asked.question }}
          approval={approval}
          isApprove={answer === "approve"}
          decide={decide}
          onClose={() => setAnswer(undefined)}
        />
      )}
    </Notice>
  );
}

function NotAllowed({ run, question }: { readonly run: string; readonly question: string }): ReactNode {
  const command = twinText("decideRun", { params: { run }, body: { question, approve: true } });
  return (
    <>
      <p className="text-xs text-muted">
        This session has no scope write. Somebody at the gateway's machine can:
      </p>
      {command !== undefined && <CommandTwin command={command} />}
    </>
  );
}
