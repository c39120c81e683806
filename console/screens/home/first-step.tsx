import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { buttonClass } from "../../parts/button.tsx";
import type { Status } from "./status.ts";

/** One of the things that a new home needs. */
export interface FirstStep {
  readonly id: keyof Status["steps"];
  readonly title: string;
  readonly done: string;
  readonly about: string;
  readonly command: string;
  readonly action: ReactNode;
}

export const STEPS: readonly FirstStep[] = [
  {
    id: "server",
    title: "Add a server",
    done: "A server is configured",
    about: "Paste the JSON of another client, a URL or a command. Its tools are then here for every client.",
    command: "repertoire add files -- npx -y @modelcontextprotocol/server-filesystem /tmp",
    action: (
      <Link to="/servers" search={{ add: "1" }} className={buttonClass("primary")}>
        Add a server
      </Link>
    ),
  },
  {
    id: "client",
    title: "Connect a client",
    done: "A client has made a call",
    about:
      "The command writes the gateway into the client's config. Then let the client call a tool: it appears below.",
    command: "repertoire connect claude",
    action: null,
  },
  {
    id: "saved",
    title: "Save the first tool",
    done: "The library has its first tool",
    about:
      "Let a client run code that calls tools, or write it here. What worked can be saved, and is a tool from then on.",
    command: "repertoire save DRAFT demo:first_tool --description 'What it does'",
    action: (
      <Link to="/code" className={buttonClass()}>
        Write code
      </Link>
    ),
  },
];
