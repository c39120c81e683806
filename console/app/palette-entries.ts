/** What the palette can open, made from a kind and a name, so that what was opened lately can be made again. */
import { useNavigate } from "@tanstack/react-router";
import {
  Activity,
  Boxes,
  Keyboard,
  KeyRound,
  LibraryBig,
  Monitor,
  Moon,
  Plus,
  ShieldQuestionMark,
  Sun,
  UserRound,
  Wrench,
} from "lucide-react";
import { useMemo } from "react";
import type { RouteName } from "../../src/operator/routes.ts";
import { twinText } from "../api/twin.ts";
import type { Entry } from "./palette-entry.ts";
import { SECTIONS } from "./sections.ts";
import type { Overlay } from "./shell.tsx";
import { chooseTheme } from "./theme-choice.ts";

const SCREEN_ROUTES: Readonly<Record<(typeof SECTIONS)[number]["to"], RouteName>> = {
  "/": "getStatus",
  "/inbox": "listInbox",
  "/runs": "listRuns",
  "/library": "listLibrary",
  "/servers": "listServers",
  "/tools": "listTools",
  "/code": "declareTools",
  "/calls": "listCalls",
  "/access": "listRules",
};

/** By kind: how something of the gateway is opened, and its command. */
export type MakeEntry = (kind: "tool" | "server" | "item" | "run", name: string, label: string) => Entry;

export function useMakeEntry(): MakeEntry {
  const navigate = useNavigate();
  return useMemo(
    () => (kind, name, label) => {
      const id = `${kind}:${name}`;
      switch (kind) {
        case "tool":
          return {
            id,
            label,
            icon: Wrench,
            command: twinText("getTool", { params: { tool: name } }),
            run: () => void navigate({ to: "/tools/$tool", params: { tool: name } }),
          };
        case "server":
          return {
            id,
            label,
            icon: Boxes,
            command: twinText("getServer", { params: { server: name } }),
            run: () => void navigate({ to: "/servers/$server", params: { server: name } }),
          };
        case "item":
          return {
            id,
            label,
            icon: LibraryBig,
            command: twinText("getItem", { params: { name } }),
            run: () => void navigate({ to: "/library/$name", params: { name } }),
          };
        case "run":
          return {
            id,
            label,
            icon: Activity,
            command: twinText("getRun", { params: { run: name } }),
            run: () => void navigate({ to: "/runs/$run", params: { run: name } }),
          };
      }
    },
    [navigate],
  );
}

/** The screens and the commands of the console itself. */
export function useOwnEntries(onOpen: (overlay: Overlay) => void): readonly Entry[] {
  const navigate = useNavigate();
  return useMemo(() => {
    const screens = SECTIONS.map(({ to, label, icon, key }): Entry => ({
      id: `screen:${to}`,
      label,
      icon,
      keys: `g ${key}`,
      command: twinText(SCREEN_ROUTES[to]),
      run: () => void navigate({ to }),
    }));
    const add = () => void navigate({ to: "/servers", search: { add: "1" } });
    const explain = () => void navigate({ to: "/access", search: { tab: "explain" } });
    const create = () => void navigate({ to: "/access", search: { tab: "tokens", new: "1" } });
    return [
      ...screens,
      { id: "do:add", label: "Add a server", icon: Plus, command: "repertoire add", run: add },
      {
        id: "do:explain",
        label: "Which rule decides on a call?",
        icon: ShieldQuestionMark,
        command: "repertoire rules explain",
        run: explain,
      },
      {
        id: "do:token",
        label: "Create a token",
        icon: KeyRound,
        command: "repertoire token create",
        run: create,
      },
      {
        id: "do:help",
        label: "Keys",
        icon: Keyboard,
        keys: "?",
        command: "repertoire --help",
        run: () => onOpen("help"),
      },
      {
        id: "do:session",
        label: "Who looks, end the session",
        icon: UserRound,
        words: ["sign out", "log out"],
        run: () => onOpen("session"),
      },
      {
        id: "do:theme-system",
        label: "Theme of the system",
        icon: Monitor,
        run: () => chooseTheme("system"),
      },
      { id: "do:theme-light", label: "Light theme", icon: Sun, run: () => chooseTheme("light") },
      { id: "do:theme-dark", label: "Dark theme", icon: Moon, run: () => chooseTheme("dark") },
    ];
  }, [navigate, onOpen]);
}
