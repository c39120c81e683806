/** Every screen of the console with something in it, by what its picture is called. */
import type { Demo } from "./console-demo.ts";

export const SCREEN_NAMES = [
  "home",
  "inbox",
  "runs",
  "run",
  "library",
  "item",
  "servers",
  "server",
  "tools",
  "tool",
  "code",
  "calls",
  "access",
] as const;

export type ScreenName = (typeof SCREEN_NAMES)[number];

/** What follows `g`, where the rail has the screen. */
export const KEY_OF: Readonly<Partial<Record<ScreenName, string>>> = {
  home: "h",
  inbox: "i",
  runs: "r",
  library: "l",
  servers: "s",
  tools: "t",
  code: "c",
  calls: "k",
  access: "a",
};

/** Below `/console`. */
export function pathsOf({ runs, item }: Pick<Demo, "runs" | "item">): Readonly<Record<ScreenName, string>> {
  return {
    home: "/",
    inbox: "/inbox",
    runs: "/runs",
    run: `/runs/${runs.succeeded}`,
    library: "/library",
    item: `/library/${encodeURIComponent(item)}`,
    servers: "/servers",
    server: "/servers/github",
    tools: "/tools",
    tool: "/tools/github__create_issue",
    code: "/code",
    calls: "/calls",
    access: "/access",
  };
}

/** What the pictures show: each screen where there is most to see. */
export function picturesOf({ runs }: Pick<Demo, "runs">): Readonly<Record<string, string>> {
  return {
    ...pathsOf({ runs, item: "issues:by_title" }),
    held: "/inbox?kind=held",
    run: `/runs/${runs.succeeded}?step=1`,
    uncertain: `/runs/${runs.interrupted}?step=3`,
    workflow: `/runs/${runs.workflow}?tab=graph`,
    server: "/servers/github",
    tools: "/tools?query=open%20bugs%20of%20a%20repository",
    code: `/code?run=${runs.succeeded}`,
    access: "/access?tab=can&token=ci",
  };
}
