import type { ReactNode } from "react";
import { Section } from "../../parts/page.tsx";
import { Visible } from "../../parts/visible.tsx";
import type { ServerDetails } from "./server-details.ts";

const SHOWN_MAX = 50;

/** What the server offers and the gateway does not let in. */
export function ServerRejected({ rejected }: Pick<ServerDetails, "rejected">): ReactNode {
  return (
    <Section title="Not let in" aside={rejected.length}>
      <ul className="divide-y divide-line border-y border-line">
        {rejected.slice(0, SHOWN_MAX).map(({ code, kind, name, reason }, at) => (
          <li
            key={`${code} ${name} ${at}`}
            className="grid gap-x-4 gap-y-1 py-2 sm:grid-cols-[12rem_minmax(0,1fr)]"
          >
            <div className="min-w-0">
              <div className="truncate font-medium">
                <Visible text={name} max={200} />
              </div>
              <div className="truncate font-mono text-2xs text-faint">
                {kind} · {code}
              </div>
            </div>
            <p className="foreign min-w-0 text-muted">
              <Visible text={reason} />
            </p>
          </li>
        ))}
      </ul>
      {rejected.length > SHOWN_MAX && (
        <p className="mt-2 text-muted">And {rejected.length - SHOWN_MAX} more.</p>
      )}
    </Section>
  );
}
