import { Link } from "@tanstack/react-router";
import { X } from "lucide-react";
import type { ReactNode } from "react";
import { outcomeOf } from "../../parts/call-outcome.ts";
import { IconButton } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { EffectMark } from "../../parts/effect-mark.tsx";
import { formatInstant } from "../../parts/format.ts";
import { JsonView } from "../../parts/json-view.tsx";
import { useKeys } from "../../parts/keys.ts";
import { Facts, Section } from "../../parts/page.tsx";
import { Bytes } from "../../parts/quantity.tsx";
import { StatusBadge } from "../../parts/status.tsx";
import { Duration } from "../../parts/time.tsx";
import { Visible } from "../../parts/visible.tsx";
import type { CallRow } from "./call-tail.ts";

const LINK = "font-mono text-xs text-accent hover:underline";

/** Everything that is on record of one call. */
export function CallDetail({
  call,
  onClose,
}: {
  readonly call: CallRow;
  readonly onClose: () => void;
}): ReactNode {
  const { state, word } = outcomeOf(call);
  useKeys({ Escape: { label: "Close the call", group: "Calls", run: onClose } });
  return (
    <article aria-label="Call" className="min-h-0 flex-1 space-y-5 overflow-auto px-4 py-3">
      <header className="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          <div className="mb-1 flex flex-wrap items-center gap-2">
            <StatusBadge state={state}>{word}</StatusBadge>
            <EffectMark effect={call.effect} look="badge" />
          </div>
          <h2 className="foreign font-mono text-sm">
            <Visible text={call.tool} />
          </h2>
        </div>
        <IconButton icon={X} label="Close" shortcut="Escape" onClick={onClose} />
      </header>
      <CallFacts call={call} />
      <Section title="Arguments" aside={call.args === undefined ? undefined : "as they are on record"}>
        {call.args === undefined ? (
          <p className="text-muted">
            Only their digest is kept. The config decides:{" "}
            <code className="font-mono text-xs">calls.arguments</code>.
          </p>
        ) : (
          <JsonView value={call.args} label="Arguments" depth={3} />
        )}
      </Section>
      <CopyButton labelled label="Copy as JSON" size="md" text={() => JSON.stringify(call, null, 2)} />
    </article>
  );
}

function CallFacts({ call }: { readonly call: CallRow }): ReactNode {
  const { at, who, client, profile, kind, tool, decision, rule, outcome, run_id: run } = call;
  return (
    <Facts
      facts={[
        { term: "Outcome", value: <Visible text={outcome} /> },
        { term: "When", value: formatInstant(Date.parse(at)) },
        { term: "Duration", value: <Duration ms={call.elapsed_ms} /> },
        { term: "Answer", value: <Bytes value={call.bytes} /> },
        { term: "Who", value: <Visible text={who} /> },
        { term: "Client", value: client && <Visible text={client} /> },
        { term: "Profile", value: profile && <Visible text={profile} /> },
        { term: "Kind", value: kind },
        { term: "Decision", value: decision },
        { term: "Rule", value: <Visible text={rule} /> },
        {
          term: "Tool",
          value: kind === "tool" && (
            <Link to="/tools/$tool" params={{ tool }} className={LINK}>
              <Visible text={tool} />
            </Link>
          ),
        },
        {
          term: "Run",
          value: run && (
            <Link to="/runs/$run" params={{ run }} className={LINK}>
              <Visible text={run} />
            </Link>
          ),
        },
        { term: "Digest", value: <Id text={call.args_digest} /> },
        { term: "Trace", value: <Id text={call.trace_id} /> },
        { term: "Id", value: <Id text={call.id} /> },
      ].filter(({ value }) => value !== false && value !== "")}
    />
  );
}

function Id({ text }: { readonly text: string }): ReactNode {
  return (
    <code className="font-mono text-xs break-all text-muted">
      <Visible text={text} />
    </code>
  );
}
