import { Hourglass } from "lucide-react";
import type { ReactNode } from "react";
import { Visible } from "./visible.tsx";

export interface WaitsNoticeProps {
  /** What is asked, in the words of the gateway. */
  readonly message: string;
  /** Where a person answers. */
  readonly link: ReactNode;
}

/** Something waits for a person: no failure, and where it goes on. */
export function WaitsNotice({ message, link }: WaitsNoticeProps): ReactNode {
  return (
    <div className="flex gap-2 rounded-md bg-wait-bg px-3 py-2">
      <Hourglass aria-hidden size={16} className="mt-0.5 shrink-0 text-wait" />
      <div className="min-w-0">
        <p className="foreign">
          <Visible text={message} max={1_000} />
        </p>
        <p className="mt-1">{link}</p>
      </div>
    </div>
  );
}
