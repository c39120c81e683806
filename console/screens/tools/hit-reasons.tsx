import type { ReactNode } from "react";
import { cx } from "../../parts/class-names.ts";
import { Visible } from "../../parts/visible.tsx";
import { percent, reasonText, sharesByField, strongestReasons, type Hit, type Reason } from "./reasons.ts";

/** What does not fit into the line is not shown; the bar has it all. */
const WORDS_SHOWN = 4;

/** One hue, stronger where a field weighs more. */
const FILLS: Readonly<Record<string, string>> = {
  name: "bg-accent-fill",
  description: "bg-accent-fill/65",
  parameters: "bg-accent-fill/45",
  server: "bg-accent-fill/30",
};

/** A bar of the score by field, and the words behind it. */
export function HitReasons({ hit: { why } }: { readonly hit: Hit }): ReactNode {
  const words = strongestReasons(why, WORDS_SHOWN);
  if (words.length === 0) return <span className="text-faint">–</span>;
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <ShareBar why={why} />
      <ul
        aria-label="Words of the query"
        className="flex h-4.5 min-w-0 flex-wrap gap-x-2.5 overflow-hidden text-xs"
      >
        {words.map((reason) => (
          <ReasonWord key={reasonText(reason)} reason={reason} />
        ))}
      </ul>
    </div>
  );
}

function ShareBar({ why }: { readonly why: readonly Reason[] }): ReactNode {
  const shares = sharesByField(why);
  const label = shares.map(({ where, share }) => `${where} ${percent(share)}`).join(", ");
  return (
    <div
      role="img"
      aria-label={`Score by field: ${label}`}
      title={label}
      className="flex h-1.5 w-full gap-px overflow-hidden rounded-sm bg-active"
    >
      {shares.map(({ where, share }) => (
        <span
          key={where}
          className={cx("h-full", FILLS[where] ?? "bg-idle-fill")}
          style={{ width: `${share * 100}%` }}
        />
      ))}
    </div>
  );
}

function ReasonWord({ reason }: { readonly reason: Reason }): ReactNode {
  const { word, where, share } = reason;
  return (
    <li title={reasonText(reason)} className="flex shrink-0 items-center gap-1 whitespace-nowrap">
      <span aria-hidden className={cx("size-1.5 rounded-full", FILLS[where] ?? "bg-idle-fill")} />
      {word !== "" && (
        <span className="max-w-32 truncate font-medium">
          <Visible text={word} max={40} />
        </span>
      )}
      <span className="text-muted">
        {where} {percent(share)}
      </span>
    </li>
  );
}
