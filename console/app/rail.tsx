import { Link } from "@tanstack/react-router";
import { Keyboard, Search, UserRound } from "lucide-react";
import type { ReactNode } from "react";
import { useSession } from "../api/session.ts";
import { cx } from "../parts/class-names.ts";
import { Kbd } from "../parts/kbd.tsx";
import { Brand } from "./brand.tsx";
import { SECTIONS } from "./sections.ts";
import type { Overlay } from "./shell.tsx";
import { ThemeButton } from "./theme-button.tsx";
import { useWaitingCount } from "./waiting-count.ts";

const ITEM =
  "row-focus flex h-7 items-center gap-2.5 rounded-md px-2 text-muted hover:bg-hover hover:text-text";

/** The screens, at the left. In windows of middle width it has only icons. */
export function Rail({ onOpen }: { readonly onOpen: (overlay: Overlay) => void }): ReactNode {
  const waiting = useWaitingCount();
  return (
    <header className="flex w-12 shrink-0 flex-col gap-3 border-r border-line bg-sunken p-2 max-sm:hidden md:w-48">
      <Link to="/" aria-label="Repertoire, home" className="row-focus rounded-md px-1.5 pt-1.5">
        <span className="md:hidden">
          <Brand markOnly />
        </span>
        <span className="max-md:hidden">
          <Brand />
        </span>
      </Link>
      <button
        type="button"
        onClick={() => onOpen("palette")}
        className="flex h-7 items-center gap-2 rounded-md border border-line-strong bg-bg px-2 text-muted hover:text-text max-md:justify-center max-md:px-0"
      >
        <Search aria-hidden size={14} className="shrink-0" />
        <span className="flex-1 text-left max-md:sr-only">Search</span>
        <span className="max-md:hidden">
          <Kbd keys="mod+k" />
        </span>
      </button>
      <nav aria-label="Screens" className="flex flex-1 flex-col gap-px">
        {SECTIONS.map(({ to, label, icon: Icon, key }) => (
          <Link
            key={to}
            to={to}
            title={`${label} (g ${key})`}
            activeOptions={{ exact: to === "/", includeSearch: false }}
            activeProps={{ className: "bg-active text-text! font-medium" }}
            className={cx(ITEM, "max-md:justify-center max-md:px-0")}
          >
            <span className="relative inline-flex">
              <Icon aria-hidden size={16} className="shrink-0" />
              {to === "/inbox" && waiting > 0 && (
                <span
                  aria-hidden
                  className="absolute -top-0.5 -right-1 size-2 rounded-full bg-accent-fill ring-2 ring-sunken md:hidden"
                />
              )}
            </span>
            <span className="flex-1 max-md:sr-only">{label}</span>
            {to === "/inbox" && waiting > 0 && <WaitingCount count={waiting} />}
          </Link>
        ))}
      </nav>
      <RailFoot onOpen={onOpen} />
    </header>
  );
}

function WaitingCount({ count }: { readonly count: number }): ReactNode {
  return (
    <span className="rounded-full bg-accent-fill px-1.5 text-2xs font-medium text-on-accent max-md:sr-only">
      {count}
      <span className="sr-only"> waiting</span>
    </span>
  );
}

function RailFoot({ onOpen }: { readonly onOpen: (overlay: Overlay) => void }): ReactNode {
  const { name, version } = useSession();
  return (
    <div className="flex items-center gap-1 max-md:flex-col">
      <button
        type="button"
        onClick={() => onOpen("session")}
        title={`${name}, Repertoire ${version}`}
        className={cx(ITEM, "min-w-0 flex-1 max-md:px-1.5")}
      >
        <UserRound aria-hidden size={16} className="shrink-0" />
        <span className="truncate max-md:sr-only">{name}</span>
      </button>
      <ThemeButton />
      <button
        type="button"
        aria-label="Keys"
        title="Keys (?)"
        onClick={() => onOpen("help")}
        className={cx(ITEM, "px-1.5!")}
      >
        <Keyboard aria-hidden size={16} />
      </button>
    </div>
  );
}
