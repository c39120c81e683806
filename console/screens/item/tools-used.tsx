import { Link } from "@tanstack/react-router";
import { CircleCheck, CircleDashed, CircleX, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { Badge } from "../../parts/badge.tsx";
import { Section } from "../../parts/page.tsx";
import { Visible } from "../../parts/visible.tsx";
import { driftOf, type UsedTool } from "./item-details.ts";

const ICONS = { ok: CircleCheck, wait: TriangleAlert, fail: CircleX, idle: CircleDashed } as const;
/** Code that calls more tools than these is listed by its source. */
const SHOWN_MAX = 100;

/** The tools that an item calls, and what became of each since it was saved. */
export function ToolsUsed({ tools }: { readonly tools: readonly UsedTool[] }): ReactNode {
  return (
    <Section title="Tools used" aside={tools.length}>
      {tools.length === 0 && <p className="text-muted">It calls no tools.</p>}
      <ul className="divide-y divide-line/60 border-y border-line empty:hidden">
        {tools.slice(0, SHOWN_MAX).map((used) => (
          <UsedToolRow key={used.tool} used={used} />
        ))}
      </ul>
    </Section>
  );
}

function UsedToolRow({ used }: { readonly used: UsedTool }): ReactNode {
  const { word, tone } = driftOf(used);
  return (
    <li className="py-1.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Link
          to="/tools/$tool"
          params={{ tool: used.tool }}
          className="foreign min-w-0 font-mono text-xs text-accent hover:underline"
        >
          <Visible text={used.tool} />
        </Link>
        <Badge tone={tone} icon={ICONS[tone]}>
          {word}
        </Badge>
      </div>
      {used.changes.length > 0 && (
        <ul aria-label="What changed" className="foreign mt-1 space-y-0.5 pl-3 text-muted">
          {used.changes.map((change) => (
            <li key={change}>
              <Visible text={change} />
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}
