import { Link } from "@tanstack/react-router";
import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { buttonClass } from "../../parts/button.tsx";
import { Visible } from "../../parts/visible.tsx";
import { isTroubled, reasonOf } from "../servers/server-reason.ts";
import type { ServerDetails } from "./server-details.ts";

/** Why it does not work, and what to do next; nothing where it does. */
export function ServerTrouble({ server }: { readonly server: ServerDetails }): ReactNode {
  const reason = reasonOf(server);
  const { hint, cause, missingInputs = [], unpinned } = server;
  const isBad = isTroubled(server);
  if (!isBad && reason === undefined && unpinned === undefined) return null;
  return (
    <div className="space-y-2">
      {(isBad || reason !== undefined) && (
        <div
          role={isBad ? "alert" : undefined}
          className={`flex gap-2 rounded-md px-3 py-2 ${isBad ? "bg-fail-bg" : "bg-idle-bg"}`}
        >
          <TriangleAlert
            aria-hidden
            size={16}
            className={`mt-0.5 shrink-0 ${isBad ? "text-fail" : "text-idle"}`}
          />
          <div className="foreign min-w-0 flex-1 space-y-1">
            <p className="font-medium first-letter:uppercase">
              <Visible text={reason ?? "It does not work."} />
            </p>
            {hint !== undefined && (
              <p className="text-muted">
                <Visible text={hint} />
              </p>
            )}
            {cause !== undefined && <p className="font-mono text-2xs text-faint">{cause}</p>}
          </div>
          {missingInputs.length > 0 && (
            <Link to="/inbox" search={{ kind: "input" } as never} className={buttonClass()}>
              Give the values
            </Link>
          )}
        </div>
      )}
      {unpinned !== undefined && (
        <p className="foreign flex gap-2 rounded-md bg-wait-bg px-3 py-2">
          <TriangleAlert aria-hidden size={16} className="mt-0.5 shrink-0 text-wait" />
          <span>
            <code className="font-mono text-xs">
              <Visible text={unpinned} />
            </code>{" "}
            has no exact version: each start may run another program. Pin it with{" "}
            <code className="font-mono text-xs">repertoire pin {server.id}</code>.
          </span>
        </p>
      )}
    </div>
  );
}
