import { useState, type ReactNode } from "react";
import { useAct } from "../../api/queries.ts";
import { useMay } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { useKeys } from "../../parts/keys.ts";
import { Countdown, Time } from "../../parts/time.tsx";
import { useIsWide } from "../../parts/viewport.ts";
import { ApprovalFacts } from "./approval-facts.tsx";
import { DecideDialog } from "./decide-dialog.tsx";
import { DetailFrame } from "./detail-frame.tsx";
import type { DetailProps } from "./inbox-detail.tsx";
import { approvalOf } from "./item-details.ts";
import { NotAllowed } from "./not-allowed.tsx";
import { RememberDialog } from "./remember-dialog.tsx";

type Asked = "approve" | "refuse" | "remember";

/** A question of a run: exactly what would be done, who asks for it, and the answer. */
export function ApprovalDetail({ item, onSettled }: DetailProps): ReactNode {
  const approval = approvalOf(item.details, item.title);
  const [asked, setAsked] = useState<Asked>();
  const mayDecide = useMay("decideRun");
  const isWide = useIsWide("sm");
  const mayRemember = useMay("proposeRule") && approval.tool !== undefined;
  const question = item.question ?? "";
  const what = approval.tool ?? approval.name;
  const decide = useAct("decideRun", {
    onSuccess: ({ approved, run_id: run }) => {
      setAsked(undefined);
      onSettled({ run, question, isApproved: approved, what });
    },
  });
  useKeys(
    {
      a: { label: "Approve", group: "Inbox", run: () => setAsked("approve") },
      x: { label: "Refuse", group: "Inbox", run: () => setAsked("refuse") },
    },
    mayDecide,
  );
  const close = () => setAsked(undefined);
  return (
    <DetailFrame
      item={item}
      title={approval.tool ?? (approval.name === "" ? "A question" : approval.name)}
      aside={
        <>
          {item.since !== undefined && (
            <span>
              since <Time at={item.since} />
            </span>
          )}
          {item.expires !== undefined && (
            <Countdown until={item.expires} label="expires in" className="text-wait" />
          )}
        </>
      }
      actions={
        mayDecide ? (
          <>
            <Button look="primary" shortcut="a" onClick={() => setAsked("approve")}>
              Approve
            </Button>
            {mayRemember && (
              <Button aria-label="Approve and remember" onClick={() => setAsked("remember")}>
                {isWide ? "Approve and remember…" : "Remember…"}
              </Button>
            )}
            <Button look="danger" shortcut="x" className="ml-auto" onClick={() => setAsked("refuse")}>
              Refuse
            </Button>
          </>
        ) : (
          <NotAllowed scope="write" command={item.command} />
        )
      }
    >
      <ApprovalFacts approval={approval} run={item.subject} />
      {(asked === "approve" || asked === "refuse") && (
        <DecideDialog
          item={item}
          approval={approval}
          isApprove={asked === "approve"}
          decide={decide}
          onClose={close}
        />
      )}
      {asked === "remember" && (
        <RememberDialog item={item} approval={approval} decide={decide} onClose={close} />
      )}
    </DetailFrame>
  );
}
