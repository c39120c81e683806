import { Link } from "@tanstack/react-router";
import { Search, UserRound } from "lucide-react";
import type { ReactNode } from "react";
import { IconButton } from "../parts/button.tsx";
import { Brand } from "./brand.tsx";
import type { Overlay } from "./shell.tsx";
import { ThemeButton } from "./theme-button.tsx";

/** The head of a narrow window. */
export function TopBar({ onOpen }: { readonly onOpen: (overlay: Overlay) => void }): ReactNode {
  return (
    <header className="flex h-11 shrink-0 items-center gap-1 border-b border-line bg-sunken px-3 sm:hidden">
      <Link to="/" aria-label="Repertoire, home" className="mr-auto flex">
        <Brand />
      </Link>
      <IconButton icon={Search} label="Search and commands" onClick={() => onOpen("palette")} />
      <ThemeButton />
      <IconButton icon={UserRound} label="Who looks" onClick={() => onOpen("session")} />
    </header>
  );
}
