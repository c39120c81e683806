import { FlaskConical } from "lucide-react";
import type { ReactNode } from "react";
import { toolErrorOf } from "../../api/api-error.ts";
import type { Answer } from "../../api/client.ts";
import { useAct } from "../../api/queries.ts";
import { useMay } from "../../api/session.ts";
import { twinText } from "../../api/twin.ts";
import { Button } from "../../parts/button.tsx";
import { CommandTwin } from "../../parts/command-twin.tsx";
import { ErrorText } from "../../parts/error-state.tsx";
import { useKeys } from "../../parts/keys.ts";
import { StatusBadge } from "../../parts/status.tsx";
import { Visible } from "../../parts/visible.tsx";
import type { ItemDetails } from "./item-details.ts";

/** The example that the item was saved with, replayed as a test: no tool is called. */
export function ItemTests({ item: { name } }: { readonly item: ItemDetails }): ReactNode {
  const test = useAct("testItem", { quiet: true });
  const may = useMay("testItem");
  const params = { name };
  const run = () => test.mutate({ params });
  useKeys({ t: { label: "Test now", group: "This screen", run } }, may && !test.isPending);
  return (
    <div className="max-w-3xl space-y-4 px-4 py-4 max-sm:px-3">
      <p className="max-w-prose text-muted">
        The run that the item was saved from is its example. A test runs the current version again with the
        same inputs. Each call is answered from the record, so nothing is called and nothing changes; what
        comes out must be the same.
      </p>
      <div className="flex flex-wrap items-center gap-2">
        <Button
          look="primary"
          icon={FlaskConical}
          shortcut="t"
          busy={test.isPending}
          disabled={!may}
          title={may ? undefined : "Needs a session with the scope call"}
          onClick={run}
        >
          Test now
        </Button>
        <div className="min-w-0 flex-1 sm:max-w-sm">
          <CommandTwin command={twinText("testItem", { params }) ?? ""} />
        </div>
      </div>
      <div aria-live="polite" className="space-y-3">
        {test.isError && <ErrorText error={toolErrorOf(test.error)} />}
        {test.data !== undefined && <Reports reports={test.data.reports} />}
      </div>
    </div>
  );
}

function Reports({ reports }: { readonly reports: Answer<"testItem">["reports"] }): ReactNode {
  if (reports.length === 0)
    return <p className="text-muted">It has no example. Save it again from a run that succeeded.</p>;
  return (
    <ul className="divide-y divide-line border-y border-line">
      {reports.map(({ name, version, outcome, differences }) => (
        <li key={`${name}@${version}`} className="py-2">
          <div className="flex items-center gap-2">
            <StatusBadge state={outcome} />
            <span className="foreign min-w-0">
              <Visible text={name} /> <span className="text-muted">v{version}</span>
            </span>
          </div>
          {differences.length > 0 && (
            <ul
              aria-label="Differences"
              className="foreign mt-2 space-y-1 rounded-md bg-sunken px-3 py-2 font-mono text-xs"
            >
              {differences.map((difference) => (
                <li key={difference}>
                  <Visible text={difference} />
                </li>
              ))}
            </ul>
          )}
        </li>
      ))}
    </ul>
  );
}
