import { LogOut } from "lucide-react";
import type { ReactNode } from "react";
import { useAct } from "../api/queries.ts";
import { useSession } from "../api/session.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Facts } from "../parts/page.tsx";
import { Time } from "../parts/time.tsx";
import { Visible } from "../parts/visible.tsx";

/** Who looks, how far they see, and the way out. */
export function SessionDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { name, id, scopes, profile, limited, version, expires_at } = useSession();
  // Loading again finds no session, and shows how to get one.
  const end = useAct("closeSession", { onSuccess: () => location.reload() });
  return (
    <Dialog
      open
      onClose={onClose}
      title="Who looks"
      size="sm"
      footer={
        <Button icon={LogOut} busy={end.isPending} onClick={() => end.mutate({})}>
          End the session
        </Button>
      }
    >
      <Facts
        facts={[
          { term: "Name", value: <Visible text={name} /> },
          {
            term: "Principal",
            value: (
              <code className="font-mono text-xs">
                <Visible text={id} />
              </code>
            ),
          },
          { term: "May", value: scopes.join(", ") },
          { term: "Sees", value: limited ? "only its own runs and calls" : "everything" },
          { term: "Profile", value: profile === null ? undefined : <Visible text={profile} /> },
          { term: "Ends", value: expires_at === null ? undefined : <Time at={expires_at} /> },
          { term: "Version", value: `Repertoire ${version}` },
        ]}
      />
    </Dialog>
  );
}
