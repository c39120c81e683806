import type { ReactNode } from "react";
import { ApprovalDetail } from "./approval-detail.tsx";
import { HeldDetail } from "./held-detail.tsx";
import { InputDetail } from "./input-detail.tsx";
import { LoginDetail } from "./login-detail.tsx";
import { ResumeDetail } from "./resume-detail.tsx";
import type { Settled } from "./settled-run.tsx";
import { UncertainDetail } from "./uncertain-detail.tsx";
import type { WaitingItem } from "./waiting-items.ts";

export interface DetailProps {
  readonly item: WaitingItem;
  /** A question was answered: what can be done with its run is offered. */
  readonly onSettled: (settled: Settled) => void;
}

/** Everything about one item, and what settles it. */
export function InboxDetail(props: DetailProps): ReactNode {
  switch (props.item.kind) {
    case "approval":
      return <ApprovalDetail {...props} />;
    case "uncertain":
      return <UncertainDetail {...props} />;
    case "given_up":
    case "resume":
      return <ResumeDetail {...props} />;
    case "held":
      return <HeldDetail {...props} />;
    case "input":
      return <InputDetail {...props} />;
    case "login":
      return <LoginDetail {...props} />;
  }
}
