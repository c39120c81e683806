import { Ellipsis, KeyRound, Power, PowerOff, RotateCw, ShieldCheck, Trash } from "lucide-react";
import { useState, type ReactNode } from "react";
import { useSession } from "../../api/session.ts";
import { Button, IconButton } from "../../parts/button.tsx";
import { useKeys } from "../../parts/keys.ts";
import { Menu, type MenuItem } from "../../parts/menu.tsx";
import { ApproveAllDialog } from "./approve-all-dialog.tsx";
import { LoginDialog } from "./login-dialog.tsx";
import { ServerActionDialog } from "./server-action-dialog.tsx";
import type { ServerAction } from "./server-action.ts";
import type { ServerDetails } from "./server-details.ts";

type Asking = ServerAction | "login" | "approve";

/** What can be done with a server; each asks first and shows what it sends. */
export function ServerActions({ server }: { readonly server: ServerDetails }): ReactNode {
  const [asking, setAsking] = useState<Asking>();
  const { scopes } = useSession();
  const isAdmin = scopes.includes("admin");
  useKeys(
    { r: { label: "Restart the server", group: "This screen", run: () => setAsking("restart") } },
    isAdmin && server.enabled,
  );
  const close = () => setAsking(undefined);
  return (
    <>
      {server.login === "needed" && (
        <Button
          look="primary"
          icon={KeyRound}
          disabled={!isAdmin}
          title={reasonFor(isAdmin)}
          onClick={() => setAsking("login")}
        >
          Log in
        </Button>
      )}
      <Button
        icon={RotateCw}
        shortcut="r"
        disabled={!isAdmin || !server.enabled}
        title={server.enabled ? reasonFor(isAdmin) : "It is disabled"}
        onClick={() => setAsking("restart")}
      >
        Restart
      </Button>
      <Menu
        trigger={<IconButton icon={Ellipsis} label="More actions" look="plain" />}
        items={itemsOf(server, scopes, setAsking)}
      />
      {asking === "login" && <LoginDialog server={server.id} onClose={close} />}
      {asking === "approve" && <ApproveAllDialog server={server.id} onClose={close} />}
      {asking !== undefined && asking !== "login" && asking !== "approve" && (
        <ServerActionDialog action={asking} server={server.id} onClose={close} />
      )}
    </>
  );
}

function reasonFor(isAdmin: boolean): string | undefined {
  return isAdmin ? undefined : "Needs a session with the scope admin";
}

function itemsOf(
  server: ServerDetails,
  scopes: readonly string[],
  ask: (asking: Asking) => void,
): readonly MenuItem[] {
  const [isAdmin, mayWrite] = [scopes.includes("admin"), scopes.includes("write")];
  const admin = isAdmin ? {} : { disabled: true, title: "Needs the scope admin" };
  return [
    server.enabled
      ? { label: "Disable", icon: PowerOff, run: () => ask("disable"), ...admin }
      : { label: "Enable", icon: Power, run: () => ask("enable"), ...admin },
    ...(server.transport === "stdio"
      ? []
      : [{ label: "Log in", icon: KeyRound, run: () => ask("login"), ...admin }]),
    {
      label: "Approve all that is held",
      icon: ShieldCheck,
      run: () => ask("approve"),
      ...(mayWrite ? {} : { disabled: true, title: "Needs the scope write" }),
    },
    "line",
    { label: "Remove", icon: Trash, danger: true, run: () => ask("remove"), ...admin },
  ];
}
