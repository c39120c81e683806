import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { toolErrorOf } from "../../api/api-error.ts";
import type { Answer } from "../../api/client.ts";
import { useAct } from "../../api/queries.ts";
import { useMay } from "../../api/session.ts";
import { twinText } from "../../api/twin.ts";
import { Button, buttonClass } from "../../parts/button.tsx";
import { CommandTwin } from "../../parts/command-twin.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { ErrorText } from "../../parts/error-state.tsx";
import { SafeLink } from "../../parts/safe-link.tsx";
import { Visible } from "../../parts/visible.tsx";
import { DetailFrame } from "./detail-frame.tsx";
import type { DetailProps } from "./inbox-detail.tsx";
import { sentence } from "./input-detail.tsx";
import { NotAllowed } from "./not-allowed.tsx";

/** A server that wants a login: the gateway begins it, the person finishes it on the server's own page. */
export function LoginDetail({ item }: DetailProps): ReactNode {
  const server = item.subject;
  const mayLogIn = useMay("loginServer");
  const login = useAct("loginServer", { quiet: true });
  return (
    <DetailFrame
      item={item}
      title={server}
      actions={
        mayLogIn ? (
          <>
            <Button
              look="primary"
              busy={login.isPending}
              onClick={() => login.mutate({ params: { server } })}
            >
              {login.data === undefined ? "Begin the login" : "Begin again"}
            </Button>
            <Link to="/servers/$server" params={{ server }} className={buttonClass()}>
              Open the server
            </Link>
          </>
        ) : (
          <NotAllowed scope="admin" command={item.command} />
        )
      }
    >
      <p className="foreign max-w-prose text-base">
        <Visible text={sentence(item.title)} />
      </p>
      {login.data !== undefined && <HowToLogIn login={login.data} />}
      {login.isError && <ErrorText error={toolErrorOf(login.error)} />}
      {login.data === undefined && (
        <CommandTwin command={twinText("loginServer", { params: { server } }) ?? ""} />
      )}
    </DetailFrame>
  );
}

function HowToLogIn({ login }: { readonly login: Answer<"loginServer"> }): ReactNode {
  const { url, command } = login;
  return (
    <div role="status" className="space-y-3">
      {url !== undefined && (
        <p className="foreign">
          Open this page and log in; this item leaves by itself then: <SafeLink href={url} />{" "}
          <CopyButton text={url} label="Copy the address" />
        </p>
      )}
      <p className="text-muted">
        {url === undefined ? "Log in on the gateway's machine:" : "Or on the gateway's machine:"}
      </p>
      <CommandTwin command={command} />
    </div>
  );
}
