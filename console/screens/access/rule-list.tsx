import type { ReactNode } from "react";
import { StatusBadge } from "../../parts/status.tsx";
import { Visible } from "../../parts/visible.tsx";
import { fieldsOf, type Rule } from "./rule-fields.ts";

/** A config with more rules than these is searched, not read. */
const SHOWN_MAX = 100;

/** Rules in their order, each with everything that it says. */
export function RuleList({ rules }: { readonly rules: readonly Rule[] }): ReactNode {
  return (
    <>
      <ol className="max-w-5xl divide-y divide-line border-y border-line">
        {rules.slice(0, SHOWN_MAX).map((rule) => (
          <RuleRow key={`${rule.rule} ${rule.id}`} rule={rule} />
        ))}
      </ol>
      {rules.length > SHOWN_MAX && (
        <p className="mt-2 text-muted">And {rules.length - SHOWN_MAX} more: search for one.</p>
      )}
    </>
  );
}

function RuleRow({ rule }: { readonly rule: Rule }): ReactNode {
  const { rule: name, id, why, file } = rule;
  const fields = fieldsOf(rule);
  return (
    <li className="grid gap-x-4 gap-y-1 py-2.5 sm:grid-cols-[11rem_6rem_minmax(0,1fr)]">
      <div className="min-w-0">
        <div className="foreign font-mono text-xs font-medium">
          <Visible text={name} />
        </div>
        <div className="truncate font-mono text-2xs text-faint" title={id}>
          {id}
        </div>
      </div>
      <div>
        <StatusBadge state={rule.do} />
      </div>
      <div className="min-w-0 space-y-1">
        {fields.length === 0 && <p className="text-muted">Every call that comes this far</p>}
        <dl className="grid grid-cols-[4rem_minmax(0,1fr)] gap-x-2 gap-y-0.5">
          {fields.map((field) => (
            <div key={field.name} className="contents">
              <dt className="text-muted">{field.name}</dt>
              <dd className="foreign font-mono text-xs leading-5">
                <Visible text={field.text} />
              </dd>
            </div>
          ))}
        </dl>
        {why !== undefined && (
          <p className="foreign">
            <Visible text={why} />
          </p>
        )}
        {typeof file === "string" && (
          <p className="foreign font-mono text-2xs text-faint">
            <Visible text={file} />
          </p>
        )}
      </div>
    </li>
  );
}
