import type { ReactNode } from "react";
import { Facts } from "../../parts/page.tsx";
import { Visible } from "../../parts/visible.tsx";
import type { ServerDetails } from "./server-details.ts";

const TRUST: Readonly<Record<string, string>> = {
  allow: "Changes are recorded and used",
  scan: "A change with a finding is held",
  ask: "Every change is held until you approve it",
};

const LOGIN = { none: undefined, needed: "Needed", done: "Logged in" } as const;

export function ServerFacts({ server }: { readonly server: ServerDetails }): ReactNode {
  const { target, transport, era, protocolVersion, pid, trust, login, resourceCount, promptCount, enabled } =
    server;
  return (
    <Facts
      facts={[
        { term: "Target", value: <Mono text={target} /> },
        { term: "Transport", value: transport },
        {
          term: "Protocol",
          value:
            protocolVersion === undefined
              ? undefined
              : `${protocolVersion}${era === undefined ? "" : `, ${era}`}`,
        },
        { term: "Process", value: pid },
        { term: "Login", value: LOGIN[login] },
        { term: "Enabled", value: enabled ? "Yes" : "No" },
        { term: "Trust", value: <span title={`trust: "${trust}"`}>{TRUST[trust] ?? trust}</span> },
        { term: "Resources", value: resourceCount },
        { term: "Prompts", value: promptCount },
      ]}
    />
  );
}

function Mono({ text }: { readonly text: string }): ReactNode {
  return (
    <span className="font-mono text-xs">
      <Visible text={text} />
    </span>
  );
}
