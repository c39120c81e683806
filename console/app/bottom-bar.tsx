import { Link } from "@tanstack/react-router";
import { Menu as MenuIcon } from "lucide-react";
import type { ReactNode } from "react";
import { SECTIONS } from "./sections.ts";
import type { Overlay } from "./shell.tsx";
import { useWaitingCount } from "./waiting-count.ts";

/** What people do on a phone; everything else is one step away. */
const SHOWN = SECTIONS.filter(({ to }) => ["/", "/inbox", "/runs", "/servers"].includes(to));
const ITEM =
  "row-focus relative flex flex-1 flex-col items-center justify-center gap-0.5 text-2xs text-muted";

/** The screens in a narrow window. */
export function BottomBar({ onOpen }: { readonly onOpen: (overlay: Overlay) => void }): ReactNode {
  const waiting = useWaitingCount();
  return (
    <nav aria-label="Screens" className="flex h-14 shrink-0 border-t border-line bg-sunken sm:hidden">
      {SHOWN.map(({ to, label, icon: Icon }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: to === "/", includeSearch: false }}
          activeProps={{ className: "text-accent! font-medium" }}
          className={ITEM}
        >
          <Icon aria-hidden size={18} />
          {label}
          {to === "/inbox" && waiting > 0 && (
            <span className="absolute top-1.5 left-1/2 ml-1.5 rounded-full bg-accent-fill px-1 text-[10px] leading-4 font-medium text-on-accent">
              {waiting}
              <span className="sr-only"> waiting</span>
            </span>
          )}
        </Link>
      ))}
      <button type="button" onClick={() => onOpen("palette")} className={ITEM}>
        <MenuIcon aria-hidden size={18} />
        More
      </button>
    </nav>
  );
}
