import { Link } from "@tanstack/react-router";
import { ShieldAlert } from "lucide-react";
import type { ReactNode } from "react";
import { useAsk } from "../../api/queries.ts";
import { countOf } from "../../parts/format.ts";
import { Facts, Section } from "../../parts/page.tsx";
import { Time } from "../../parts/time.tsx";
import { ValueChanges } from "../../parts/value-changes.tsx";
import { Visible } from "../../parts/visible.tsx";
import type { HeldPin } from "./held-detail.tsx";

/** Why it is held, what differs word by word, what the scanner found, and which kept tools use it. */
export function HeldFacts({ pin }: { readonly pin: HeldPin }): ReactNode {
  const {
    reasons,
    changes,
    used_by: usedBy,
    approved_at: approvedAt,
    approved_by: approvedBy,
    offered_hash: hash,
  } = pin;
  return (
    <>
      <ul className="space-y-1">
        {reasons.map((reason) => (
          <li key={reason} className="foreign flex gap-2 text-base">
            <ShieldAlert aria-hidden size={16} className="mt-1 shrink-0 text-wait" />
            <span className="min-w-0">
              <Visible text={reason} />
            </span>
          </li>
        ))}
      </ul>
      <Section title="What differs" aside={countOf(changes.length, "value")}>
        {changes.length === 0 ? (
          <p className="text-muted">Nothing differs by value.</p>
        ) : (
          <ValueChanges changes={changes} />
        )}
      </Section>
      <Findings server={pin.server} name={pin.name} />
      <Section title="Used by" aside={usedBy.length === 0 ? undefined : countOf(usedBy.length, "kept tool")}>
        <UsedBy names={usedBy} />
      </Section>
      <Facts
        facts={[
          { term: "Approved", value: approvedAt === null ? "never" : <Time at={approvedAt} /> },
          { term: "By", value: approvedBy && <Visible text={approvedBy} /> },
          { term: "Offered", value: hash && <code className="font-mono text-xs break-all">{hash}</code> },
        ]}
      />
    </>
  );
}

function UsedBy({ names }: { readonly names: readonly string[] }): ReactNode {
  if (names.length === 0) return <p className="text-muted">No kept tool uses it.</p>;
  return (
    <ul className="flex flex-wrap gap-x-3 gap-y-1">
      {names.map((name) => (
        <li key={name}>
          <Link
            to="/library/$name"
            params={{ name }}
            className="font-mono text-xs text-accent hover:underline"
          >
            <Visible text={name} />
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** What looks like an attack in its texts. */
function Findings({ server, name }: { readonly server: string; readonly name: string }): ReactNode {
  const { data } = useAsk("listServers", {});
  const found = data?.servers
    .find(({ id }) => id === server)
    ?.findings.filter((finding) => name === "" || finding.tool === name);
  if (found === undefined || found.length === 0) return null;
  return (
    <Section title="Findings" aside={String(found.length)}>
      <ul className="space-y-2">
        {found.map(({ code, message, excerpt }, at) => (
          <li key={`${code}-${at}`} className="foreign">
            <code className="font-mono text-xs text-fail">{code}</code> <Visible text={message} />
            <blockquote className="mt-1 border-l-2 border-wait-fill pl-2 font-mono text-xs text-muted">
              <Visible text={excerpt} />
            </blockquote>
          </li>
        ))}
      </ul>
    </Section>
  );
}
