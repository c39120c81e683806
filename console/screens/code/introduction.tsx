import { Link } from "@tanstack/react-router";
import type { UseQueryResult } from "@tanstack/react-query";
import { Play } from "lucide-react";
import { useMemo, type ReactNode } from "react";
import type { ApiError } from "../../api/api-error.ts";
import type { Answer } from "../../api/client.ts";
import { useWakeServers } from "../../api/wake-servers.ts";
import { Button } from "../../parts/button.tsx";
import { CommandTwin } from "../../parts/command-twin.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Visible } from "../../parts/visible.tsx";
import type { DeclaredTools } from "./declared-tools.ts";
import { useExamples } from "./use-examples.ts";

export interface IntroductionProps {
  readonly declared: DeclaredTools;
  readonly declarations: UseQueryResult<Answer<"declareTools">, ApiError>;
  readonly onPlace: (code: string, what: string) => void;
}

/** An empty editor: what code is here, and examples with the tools that are there. It leaves the first line free to type in. */
export function Introduction({ declared, declarations, onPlace }: IntroductionProps): ReactNode {
  const examples = useExamples(declared);
  const shown = useMemo(() => examples.slice(0, 3), [examples]);
  return (
    <div className="pointer-events-none absolute inset-x-0 top-9 bottom-0 overflow-auto px-14 py-3 max-sm:px-4">
      <div className="pointer-events-auto max-w-md space-y-3">
        <p className="text-muted">
          Write TypeScript. Call any tool as{" "}
          <code className="font-mono text-xs text-code-name">await mcp.server.tool({"{…}"})</code>, and return
          what should come back. Every call is on record, so a run that stops can go on.
        </p>
        {declarations.isPending && <Skeleton className="h-7 w-64" />}
        {shown.length > 0 && (
          <div className="flex flex-wrap gap-2">
            {shown.map(({ title, code }) => (
              <Button key={title} onClick={() => onPlace(code, title)} className="max-w-full">
                <span className="truncate">
                  <Visible text={title} max={120} />
                </span>
              </Button>
            ))}
          </div>
        )}
        {declarations.isSuccess && shown.length === 0 && (
          <NoTools missing={declarations.data.missing.map(({ server }) => server)} />
        )}
      </div>
    </div>
  );
}

function NoTools({ missing }: { readonly missing: readonly string[] }): ReactNode {
  const { wake, isBusy, mayWake } = useWakeServers();
  if (missing.length > 0) {
    return (
      <>
        <p className="text-muted">
          Your servers have not listed their tools yet: a server starts when something needs it.
        </p>
        <Button
          icon={Play}
          busy={isBusy}
          disabled={!mayWake}
          title={mayWake ? undefined : "Needs a session with the scope admin"}
          onClick={() => wake(missing)}
        >
          Start them now
        </Button>
      </>
    );
  }
  return (
    <>
      <p className="text-muted">
        There is no tool to call yet.{" "}
        <Link to="/servers" search={{ add: "1" }} className="text-accent underline underline-offset-2">
          Add a server
        </Link>
        , here or on the command line:
      </p>
      <CommandTwin command="repertoire add everything -- npx -y @modelcontextprotocol/server-everything" />
    </>
  );
}
