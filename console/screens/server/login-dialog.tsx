import { KeyRound } from "lucide-react";
import type { ReactNode } from "react";
import { toolErrorOf } from "../../api/api-error.ts";
import type { Answer } from "../../api/client.ts";
import { useAct } from "../../api/queries.ts";
import { twinText } from "../../api/twin.ts";
import { Button } from "../../parts/button.tsx";
import { CommandTwin } from "../../parts/command-twin.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorText } from "../../parts/error-state.tsx";
import { SafeLink } from "../../parts/safe-link.tsx";
import { Visible } from "../../parts/visible.tsx";

export interface LoginDialogProps {
  readonly server: string;
  readonly onClose: () => void;
}

/** Asks the gateway for the page of the login. The gateway hears by itself when the person has logged in there. */
export function LoginDialog({ server, onClose }: LoginDialogProps): ReactNode {
  const login = useAct("loginServer", { quiet: true });
  const params = { server };
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Log in to ${server}`}
      description="You log in on the server's own page. The gateway gets and keeps the token."
      size="sm"
      footer={
        <>
          <Button look="quiet" onClick={onClose}>
            Close
          </Button>
          {login.data === undefined && (
            <Button
              look="primary"
              icon={KeyRound}
              busy={login.isPending}
              onClick={() => login.mutate({ params })}
            >
              Get the login page
            </Button>
          )}
        </>
      }
    >
      <div className="space-y-3">
        {login.data !== undefined && <LoginPage answer={login.data} />}
        {login.isError && <ErrorText error={toolErrorOf(login.error)} />}
        <CommandTwin command={login.data?.command ?? twinText("loginServer", { params }) ?? ""} />
      </div>
    </Dialog>
  );
}

function LoginPage({ answer: { url } }: { readonly answer: Answer<"loginServer"> }): ReactNode {
  if (url === undefined) return <p>Log in on the machine of the gateway, or nothing more is needed:</p>;
  return (
    <div role="status" className="space-y-2">
      <p>
        <SafeLink href={url}>Open the login page</SafeLink>
      </p>
      <p className="foreign flex items-start gap-1 font-mono text-2xs text-muted">
        <span className="min-w-0">
          <Visible text={url} />
        </span>
        <CopyButton text={url} label="Copy the address" />
      </p>
      <p className="text-muted">It is open for five minutes. This page shows when you are logged in.</p>
    </div>
  );
}
