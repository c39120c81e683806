import { ArrowUp, ScrollText } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "../../parts/button.tsx";
import { EmptyState, NothingFits } from "../../parts/empty-state.tsx";
import { countOf } from "../../parts/format.ts";

/** Above the list, which stays as it is while somebody reads it. */
export function NewCalls({
  count,
  onShow,
}: {
  readonly count: number;
  readonly onShow: () => void;
}): ReactNode {
  return (
    <div role="status" className="pointer-events-none absolute inset-x-0 top-10 z-20 flex justify-center">
      {count > 0 && (
        <Button
          look="primary"
          size="sm"
          icon={ArrowUp}
          className="pointer-events-auto rounded-full! shadow-pop"
          onClick={onShow}
        >
          {countOf(count, "new call")}
        </Button>
      )}
    </div>
  );
}

/** A link can name a call that is older than what is loaded, or that the filters leave out. */
export function NotListed({ onClose }: { readonly onClose: () => void }): ReactNode {
  return (
    <EmptyState
      icon={ScrollText}
      title="This call is not in the list"
      actions={<Button onClick={onClose}>Close</Button>}
    >
      It is older than what is loaded, or the filters leave it out. Scroll down, or name its tool.
    </EmptyState>
  );
}

export function NoCalls({
  isFiltered,
  onClear,
}: {
  readonly isFiltered: boolean;
  readonly onClear: () => void;
}): ReactNode {
  if (isFiltered) return <NothingFits icon={ScrollText} title="No call fits the filters" onClear={onClear} />;
  return (
    <EmptyState icon={ScrollText} title="No calls yet" command="repertoire connect claude">
      Every call of a tool is recorded here as it happens, made or refused, with the rule that decided.
      Connect a client, and let it call something.
    </EmptyState>
  );
}
