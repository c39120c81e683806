import type { ReactNode } from "react";
import { Section } from "../../parts/page.tsx";
import type { ServerDetails } from "./server-details.ts";
import { ServerFacts } from "./server-facts.tsx";
import { ServerFindings } from "./server-findings.tsx";
import { ServerFigures } from "./server-figures.tsx";
import { ServerOutput } from "./server-output.tsx";
import { ServerRejected } from "./server-rejected.tsx";
import { ServerTrouble } from "./server-trouble.tsx";

/** How a server is: what is wrong first, then figures, facts and its output. */
export function ServerOverview({ server }: { readonly server: ServerDetails }): ReactNode {
  const { findings, rejected } = server;
  return (
    <div className="max-w-6xl space-y-6 px-4 py-4 max-sm:px-3">
      <ServerTrouble server={server} />
      <ServerFigures server={server} />
      <Section title="Facts">
        <ServerFacts server={server} />
      </Section>
      {findings.length > 0 && <ServerFindings findings={findings} />}
      {rejected.length > 0 && <ServerRejected rejected={rejected} />}
      <ServerOutput lines={server.stderr ?? []} isProgram={server.transport === "stdio"} />
    </div>
  );
}
