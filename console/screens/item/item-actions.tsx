import { AtSign, Download, Ellipsis, FlaskConical, History, PencilLine, Play, Trash } from "lucide-react";
import { useState, type ReactNode } from "react";
import { useSession } from "../../api/session.ts";
import { Button, IconButton } from "../../parts/button.tsx";
import { useKeys } from "../../parts/keys.ts";
import { Menu, type MenuItem } from "../../parts/menu.tsx";
import { useUrlSearch } from "../../parts/url-search.ts";
import { DeleteDialog } from "./delete-dialog.tsx";
import { ExportDialog } from "./export-dialog.tsx";
import type { ItemDetails } from "./item-details.ts";
import { NameDialog } from "./name-dialog.tsx";
import type { Search } from "./search.ts";

type Asking = "rename" | "alias" | "delete" | "export";

/** What can be done with an item. */
export function ItemActions({ item }: { readonly item: ItemDetails }): ReactNode {
  const [asking, setAsking] = useState<Asking>();
  const [, change] = useUrlSearch<Search>();
  const { scopes, limited, profile } = useSession();
  const isWhole = !limited && profile === null;
  const run = () => change({ tab: "run" });
  const test = () => change({ tab: "tests" });
  useKeys({
    r: { label: "Run it", group: "This screen", run },
    v: { label: "Versions", group: "This screen", run: () => change({ tab: "versions" }) },
  });
  const close = () => setAsking(undefined);
  return (
    <>
      <Button icon={FlaskConical} onClick={test}>
        Test
      </Button>
      <Button look="primary" icon={Play} shortcut="r" onClick={run}>
        Run
      </Button>
      <Menu
        trigger={<IconButton icon={Ellipsis} label="More actions" look="plain" />}
        items={itemsOf({ isWhole, mayWrite: scopes.includes("write") }, setAsking, () =>
          change({ tab: "versions" }),
        )}
      />
      {(asking === "rename" || asking === "alias") && (
        <NameDialog kind={asking} item={item} onClose={close} />
      )}
      {asking === "delete" && <DeleteDialog item={item} onClose={close} />}
      {asking === "export" && <ExportDialog name={item.name} onClose={close} />}
    </>
  );
}

interface May {
  /** Whether the session sees the whole gateway: a part of it is shown the library, and does not change it. */
  readonly isWhole: boolean;
  readonly mayWrite: boolean;
}

function itemsOf(
  { isWhole, mayWrite }: May,
  ask: (asking: Asking) => void,
  onVersions: () => void,
): readonly MenuItem[] {
  const whole = isWhole ? {} : { disabled: true, title: "Needs a session that sees the whole gateway" };
  const write = mayWrite ? whole : { disabled: true, title: "Needs the scope write" };
  return [
    { label: "Rename", icon: PencilLine, run: () => ask("rename"), ...write },
    { label: "Add an alias", icon: AtSign, run: () => ask("alias"), ...write },
    { label: "Roll back", icon: History, shortcut: "v", run: onVersions },
    { label: "Export", icon: Download, run: () => ask("export"), ...whole },
    "line",
    { label: "Delete", icon: Trash, danger: true, run: () => ask("delete"), ...write },
  ];
}
