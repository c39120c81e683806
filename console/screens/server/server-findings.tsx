import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Section } from "../../parts/page.tsx";
import { Visible } from "../../parts/visible.tsx";
import type { ServerDetails } from "./server-details.ts";

/** More are on the command line; one page of them says enough. */
const SHOWN_MAX = 50;

/** What in the server's texts looks like an attack, with every hidden character written out. */
export function ServerFindings({ findings }: Pick<ServerDetails, "findings">): ReactNode {
  return (
    <Section title="Findings" aside={findings.length}>
      <p className="mb-2 text-muted">
        Texts of this server that look like an attack on their reader. Read them as text, not as advice.
      </p>
      <ul className="divide-y divide-line border-y border-line">
        {findings.slice(0, SHOWN_MAX).map(({ code, kind, tool, message, excerpt }, at) => (
          <li
            key={`${code} ${tool} ${at}`}
            className="grid gap-x-4 gap-y-1 py-2 sm:grid-cols-[12rem_minmax(0,1fr)]"
          >
            <div className="min-w-0">
              <div className="truncate font-medium">
                <Visible text={tool === "" ? kind : tool} />
              </div>
              <div className="truncate font-mono text-2xs text-faint">{code}</div>
            </div>
            <div className="foreign min-w-0">
              <p>
                <Visible text={message} />
              </p>
              <p className="mt-1 rounded-sm bg-wait-bg px-2 py-1 font-mono text-xs">
                <Visible text={excerpt} />
              </p>
            </div>
          </li>
        ))}
      </ul>
      {findings.length > SHOWN_MAX && (
        <p className="mt-2 text-muted">And {findings.length - SHOWN_MAX} more.</p>
      )}
      <p className="mt-2 text-muted">
        What is held waits in the{" "}
        <Link to="/inbox" className="text-accent underline underline-offset-2">
          inbox
        </Link>
        .
      </p>
    </Section>
  );
}
