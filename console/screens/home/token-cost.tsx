import type { ReactNode } from "react";
import { countOf, formatNumber } from "../../parts/format.ts";
import type { Status } from "./status.ts";

/** What the list of tools costs each conversation, beside what it would cost to list every tool. */
export function TokenCost({ cost }: Pick<Status, "cost">): ReactNode {
  if (cost === null) return <p className="text-muted">Counting…</p>;
  const { all_tokens: all, listed_tokens: listed, tool_count: toolCount, mode, tokenizer } = cost;
  const most = Math.max(all, listed, 1);
  return (
    <>
      <dl className="space-y-2">
        <CostRow
          term={`Listing all ${countOf(toolCount, "tool")} would cost`}
          tokens={all}
          share={all / most}
          fill="bg-idle-fill"
        />
        <CostRow term={`The list (${mode}) is`} tokens={listed} share={listed / most} fill="bg-accent-fill" />
      </dl>
      <p className="mt-2 text-xs text-faint">
        {savedText(all, listed)} Counted with {tokenizer}, for each conversation.
      </p>
    </>
  );
}

interface CostRowProps {
  readonly term: string;
  readonly tokens: number;
  readonly share: number;
  readonly fill: string;
}

function CostRow({ term, tokens, share, fill }: CostRowProps): ReactNode {
  return (
    <div className="grid grid-cols-[1fr_auto] items-baseline gap-x-3">
      <dt className="min-w-0 truncate text-muted">{term}</dt>
      <dd className="font-medium whitespace-nowrap">{formatNumber(tokens)} tokens</dd>
      <dd aria-hidden className="col-span-2 mt-1 h-1.5 rounded-full bg-idle-bg">
        <div className={`h-full min-w-0.5 rounded-full ${fill}`} style={{ width: `${share * 100}%` }} />
      </dd>
    </div>
  );
}

function savedText(all: number, listed: number): string {
  if (all <= 0 || listed >= all) return "";
  return `${Math.round((1 - listed / all) * 100)} % less.`;
}
