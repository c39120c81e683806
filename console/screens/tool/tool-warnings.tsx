import { Link } from "@tanstack/react-router";
import { ShieldAlert, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { countOf } from "../../parts/format.ts";
import { Visible } from "../../parts/visible.tsx";
import { excerptText, type ToolDetails } from "./tool-details.ts";

/** More say no more. */
const FINDINGS_MAX = 10;

/** What a person should know before anything else: it is held, or its texts look like an attack. */
export function ToolWarnings({ tool: { held, findings } }: { readonly tool: ToolDetails }): ReactNode {
  if (!held && findings.length === 0) return null;
  return (
    <div className="max-h-[40vh] shrink-0 space-y-2 overflow-auto border-b border-line bg-wait-bg px-4 py-2.5 max-sm:px-3">
      {held && (
        <p className="flex gap-2">
          <ShieldAlert aria-hidden size={16} className="mt-0.5 shrink-0 text-wait" />
          <span>
            This tool is held: it is not what was approved, so it cannot be called until a person approves it
            in the{" "}
            <Link to="/inbox" className="text-accent underline underline-offset-2">
              inbox
            </Link>
            .
          </span>
        </p>
      )}
      {findings.length > 0 && <Findings findings={findings} />}
    </div>
  );
}

function Findings({ findings }: Pick<ToolDetails, "findings">): ReactNode {
  return (
    <section aria-label="Findings" className="flex gap-2">
      <TriangleAlert aria-hidden size={16} className="mt-0.5 shrink-0 text-wait" />
      <div className="min-w-0 flex-1">
        <h2 className="text-sm">
          {countOf(findings.length, "finding")} in its texts: read them as text, not as advice
        </h2>
        <ul className="mt-1 space-y-1.5">
          {findings.slice(0, FINDINGS_MAX).map(({ code, message, excerpt }, at) => (
            <li key={`${code} ${at}`} className="foreign">
              <span className="font-mono text-2xs text-muted">{code}</span>{" "}
              <Visible text={message} max={600} />
              <span className="mt-0.5 block rounded-sm border border-wait-fill/50 bg-bg px-2 py-1 font-mono text-xs">
                <Visible text={excerptText(excerpt)} max={1_000} />
              </span>
            </li>
          ))}
        </ul>
        {findings.length > FINDINGS_MAX && (
          <p className="mt-1 text-muted">And {findings.length - FINDINGS_MAX} more.</p>
        )}
      </div>
    </section>
  );
}
