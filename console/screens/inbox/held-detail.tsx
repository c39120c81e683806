import { Link } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { toolErrorOf } from "../../api/api-error.ts";
import type { Answer } from "../../api/client.ts";
import { useAct, useAsk } from "../../api/queries.ts";
import { useMay } from "../../api/session.ts";
import { Button, buttonClass } from "../../parts/button.tsx";
import { ErrorText } from "../../parts/error-state.tsx";
import { countOf } from "../../parts/format.ts";
import { useKeys } from "../../parts/keys.ts";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { Time } from "../../parts/time.tsx";
import { toast } from "../../parts/toast-store.ts";
import { DetailFrame } from "./detail-frame.tsx";
import { HeldFacts } from "./held-facts.tsx";
import type { DetailProps } from "./inbox-detail.tsx";
import { heldOf } from "./item-details.ts";
import { NotAllowed } from "./not-allowed.tsx";
import { PinDialog } from "./pin-dialog.tsx";

export type HeldPin = Answer<"listPins">["pins"][number];

/** Something of a server that is not approved: what differs, and the decision on exactly that. */
export function HeldDetail({ item }: DetailProps): ReactNode {
  const { kind, name } = heldOf(item.details);
  const pins = useAsk("listPins", { query: { server: item.subject } });
  const pin = pins.data?.pins.find((each) => each.kind === kind && each.name === name);
  const [asked, setAsked] = useState<"approve" | "reject" | "all">();
  const mayDecide = useMay("decidePins");
  const decide = useAct("decidePins", {
    onSuccess: (_, { body }) => {
      setAsked(undefined);
      const what =
        body.pins.length === 1 ? `${item.subject}/${name || kind}` : countOf(body.pins.length, "definition");
      toast({ tone: "ok", title: `${body.approve ? "Approved" : "Rejected"} ${what}` });
    },
  });
  const canDecide = mayDecide && pin !== undefined;
  const held = pins.data?.pins.filter(({ status }) => status === "held") ?? [];
  useKeys(
    {
      a: { label: "Approve", group: "Inbox", run: () => setAsked("approve") },
      x: { label: "Reject", group: "Inbox", run: () => setAsked("reject") },
    },
    canDecide,
  );
  return (
    <DetailFrame
      item={item}
      title={name === "" ? `The ${kind} of ${item.subject}` : `${item.subject}.${name}`}
      aside={
        item.since !== undefined && (
          <span>
            since <Time at={item.since} />
          </span>
        )
      }
      actions={
        mayDecide ? (
          <>
            <Button look="primary" shortcut="a" disabled={!canDecide} onClick={() => setAsked("approve")}>
              Approve
            </Button>
            {held.length > 1 && <Button onClick={() => setAsked("all")}>Approve all {held.length}…</Button>}
            <Link to="/servers/$server" params={{ server: item.subject }} className={buttonClass()}>
              Open the server
            </Link>
            <Button
              look="danger"
              shortcut="x"
              className="ml-auto"
              disabled={!canDecide}
              onClick={() => setAsked("reject")}
            >
              Reject
            </Button>
          </>
        ) : (
          <NotAllowed scope="write" command={item.command} />
        )
      }
    >
      {pins.isPending && <SkeletonRows rows={5} />}
      {pins.isError && <ErrorText error={toolErrorOf(pins.error)} />}
      {pin !== undefined && <HeldFacts pin={pin} />}
      {pins.data !== undefined && pin === undefined && (
        <p className="text-muted">It is no longer offered like this.</p>
      )}
      {asked !== undefined && pin !== undefined && (
        <PinDialog
          pins={asked === "all" ? held : [pin]}
          isApprove={asked !== "reject"}
          decide={decide}
          onClose={() => setAsked(undefined)}
        />
      )}
    </DetailFrame>
  );
}
