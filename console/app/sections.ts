import {
  Activity,
  Boxes,
  CodeXml,
  House,
  Inbox,
  KeyRound,
  LibraryBig,
  ScrollText,
  Wrench,
  type LucideIcon,
} from "lucide-react";

/** The screens that the rail lists, in its order; `key` is what follows `g`. */
export const SECTIONS = [
  { to: "/", label: "Home", icon: House, key: "h" },
  { to: "/inbox", label: "Inbox", icon: Inbox, key: "i" },
  { to: "/runs", label: "Runs", icon: Activity, key: "r" },
  { to: "/library", label: "Library", icon: LibraryBig, key: "l" },
  { to: "/servers", label: "Servers", icon: Boxes, key: "s" },
  { to: "/tools", label: "Tools", icon: Wrench, key: "t" },
  { to: "/code", label: "Code", icon: CodeXml, key: "c" },
  { to: "/calls", label: "Calls", icon: ScrollText, key: "k" },
  { to: "/access", label: "Access", icon: KeyRound, key: "a" },
] as const satisfies readonly { to: string; label: string; icon: LucideIcon; key: string }[];
