import { Scale } from "lucide-react";
import { useEffect, useState, type ReactNode } from "react";
import { toolErrorOf } from "../../api/api-error.ts";
import { useAsk } from "../../api/queries.ts";
import { twinText } from "../../api/twin.ts";
import { Button } from "../../parts/button.tsx";
import { CommandTwin } from "../../parts/command-twin.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { Field, Input, Textarea } from "../../parts/field.tsx";
import { PageBody } from "../../parts/page.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { useUrlSearch } from "../../parts/url-search.ts";
import { Explained } from "./explained.tsx";
import { readCall } from "./read-call.ts";
import type { Search } from "./search.ts";

const EXAMPLE = 'github.create_issue {"repo": "a/b"}';

/** Paste a call, see the rule. What is asked is in the address, so that it can be given to somebody else. Nothing is called. */
export function ExplainTab(): ReactNode {
  const [search, change] = useUrlSearch<Search>();
  const [call, setCall] = useState(search.call ?? "");
  const [who, setWho] = useState(search.who ?? "");
  const [profile, setProfile] = useState(search.as ?? "");
  useEffect(() => {
    setCall(search.call ?? "");
    setWho(search.who ?? "");
    setProfile(search.as ?? "");
  }, [search.call, search.who, search.as]);
  const read = readCall(call);
  const explain = () => {
    if (read.ok) change({ call: call.trim(), who: who.trim(), as: profile.trim() });
  };
  return (
    <PageBody>
      <div className="grid gap-x-10 gap-y-6 lg:grid-cols-[26rem_minmax(0,1fr)]">
        <div className="space-y-3">
          <Field
            label="A call"
            hint="The name of a tool and its arguments as JSON; or the JSON of a tools/call."
            error={call.trim() === "" || read.ok ? undefined : read.problem}
            required
          >
            {(control) => (
              <Textarea
                {...control}
                rows={5}
                className="font-mono text-xs"
                placeholder={EXAMPLE}
                value={call}
                onChange={(event) => setCall(event.target.value)}
                onKeyDown={(event) => {
                  if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) explain();
                }}
              />
            )}
          </Field>
          <div className="grid grid-cols-2 gap-3">
            <Field label="Who" hint="A token, or local. Empty: you at this machine.">
              {(control) => (
                <Input
                  {...control}
                  placeholder="local"
                  value={who}
                  onChange={(event) => setWho(event.target.value)}
                />
              )}
            </Field>
            <Field label="Profile" hint="Empty: the whole gateway.">
              {(control) => (
                <Input {...control} value={profile} onChange={(event) => setProfile(event.target.value)} />
              )}
            </Field>
          </div>
          <Button look="primary" icon={Scale} shortcut="mod+Enter" disabled={!read.ok} onClick={explain}>
            Explain
          </Button>
        </div>
        <Answer search={search} />
      </div>
    </PageBody>
  );
}

function Answer({ search: { call = "", who, as: profile } }: { readonly search: Search }): ReactNode {
  const read = readCall(call);
  const callers = who?.split(/[\s,]+/).filter(Boolean) ?? [];
  const body = {
    tool: read.ok ? read.tool : "",
    args: read.ok ? read.args : {},
    ...(callers.length > 0 && { who: callers }),
    ...(profile !== undefined && { profile }),
  };
  const asked = useAsk("explainCall", { body }, { enabled: read.ok });
  if (!read.ok) {
    return (
      <EmptyState
        icon={Scale}
        title="Which rule decides?"
        command={`repertoire rules explain github.create_issue --args '{"repo":"a/b"}'`}
      >
        Paste a call to see whether it is made, asked about or refused, and which rule says so. Nothing is
        called.
      </EmptyState>
    );
  }
  return (
    <div aria-live="polite" className="min-w-0 space-y-4">
      <CommandTwin command={twinText("explainCall", { body }) ?? ""} />
      {asked.isPending && <SkeletonRows rows={5} />}
      {asked.isError && <ErrorState error={toolErrorOf(asked.error)} onRetry={() => void asked.refetch()} />}
      {asked.data !== undefined && !asked.isError && <Explained told={asked.data} />}
    </div>
  );
}
