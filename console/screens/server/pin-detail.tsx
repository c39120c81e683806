import { Link } from "@tanstack/react-router";
import { X } from "lucide-react";
import { useState, type ReactNode } from "react";
import { useMay } from "../../api/session.ts";
import { Button, IconButton } from "../../parts/button.tsx";
import { useKeys } from "../../parts/keys.ts";
import { Facts } from "../../parts/page.tsx";
import { StatusBadge } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { ValueChanges } from "../../parts/value-changes.tsx";
import { Visible } from "../../parts/visible.tsx";
import { DecidePinsDialog } from "./decide-pins-dialog.tsx";
import { isOpen, pinName, type Pin } from "./pins.ts";

export interface PinDetailProps {
  readonly server: string;
  readonly pin: Pin;
  readonly onClose: () => void;
}

/** One definition: what differs from what was approved, why it is held, and the decision. */
export function PinDetail({ server, pin, onClose }: PinDetailProps): ReactNode {
  const [deciding, setDeciding] = useState<"approve" | "reject">();
  useKeys({ Escape: { label: "Close the pin", hidden: true, run: onClose } });
  const { status, reasons, changes } = pin;
  return (
    <section aria-label={`Pin ${pinName(pin)}`} className="h-full space-y-4 overflow-auto px-4 py-3">
      <header className="flex items-center gap-2">
        <h2 className="foreign min-w-0 font-mono text-sm">
          <Visible text={pinName(pin)} />
        </h2>
        <StatusBadge state={status} />
        <IconButton icon={X} label="Close" onClick={onClose} className="ml-auto" />
      </header>
      {isOpen(pin) && <Decisions pin={pin} onDecide={setDeciding} />}
      {reasons.length > 0 && (
        <ul aria-label="Reasons" className="foreign space-y-1 rounded-md bg-wait-bg px-3 py-2">
          {reasons.map((reason) => (
            <li key={reason}>
              <Visible text={reason} />
            </li>
          ))}
        </ul>
      )}
      <PinFacts pin={pin} />
      <div>
        <h3 className="mb-1 text-sm">What differs from what was approved</h3>
        {changes.length === 0 ? <p className="text-muted">Nothing.</p> : <ValueChanges changes={changes} />}
      </div>
      {deciding !== undefined && (
        <DecidePinsDialog
          server={server}
          pins={[pin]}
          approve={deciding === "approve"}
          onClose={() => setDeciding(undefined)}
        />
      )}
    </section>
  );
}

function Decisions(props: {
  readonly pin: Pin;
  readonly onDecide: (decision: "approve" | "reject") => void;
}): ReactNode {
  const { pin, onDecide } = props;
  const may = useMay("decidePins");
  const title = may ? undefined : "Needs a session with the scope write";
  return (
    <div className="flex gap-2">
      <Button look="primary" disabled={!may} title={title} onClick={() => onDecide("approve")}>
        Approve
      </Button>
      {pin.status !== "rejected" && (
        <Button look="danger" disabled={!may} title={title} onClick={() => onDecide("reject")}>
          Reject
        </Button>
      )}
    </div>
  );
}

function PinFacts({ pin }: { readonly pin: Pin }): ReactNode {
  const { kind, since, approved_at, approved_by, offered_hash, used_by } = pin;
  return (
    <Facts
      facts={[
        { term: "Kind", value: kind },
        { term: "Since", value: since === null ? undefined : <Time at={since} /> },
        {
          term: "Approved",
          value:
            approved_at === null ? (
              "Never"
            ) : (
              <>
                <Time at={approved_at} />
                {approved_by !== null && (
                  <>
                    {" by "}
                    <Visible text={approved_by} />
                  </>
                )}
              </>
            ),
        },
        {
          term: "Hash",
          value:
            offered_hash === null ? undefined : <code className="font-mono text-xs">{offered_hash}</code>,
        },
        { term: "Used by", value: used_by.length === 0 ? undefined : <UsedBy names={used_by} /> },
      ]}
    />
  );
}

function UsedBy({ names }: { readonly names: readonly string[] }): ReactNode {
  return (
    <span className="flex flex-wrap gap-x-3">
      {names.map((name) => (
        <Link
          key={name}
          to="/library/$name"
          params={{ name }}
          className="font-mono text-xs text-accent hover:underline"
        >
          <Visible text={name} />
        </Link>
      ))}
    </span>
  );
}
