/** The screens and their addresses. Each screen is a chunk of its own; its filters are in `screens/<screen>/search.ts`. */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { SkeletonRows } from "../parts/skeleton.tsx";
import { parseSearch as parseAccess } from "../screens/access/search.ts";
import { parseSearch as parseCalls } from "../screens/calls/search.ts";
import { parseSearch as parseCode } from "../screens/code/search.ts";
import { parseSearch as parseHome } from "../screens/home/search.ts";
import { parseSearch as parseInbox } from "../screens/inbox/search.ts";
import { parseSearch as parseItem } from "../screens/item/search.ts";
import { parseSearch as parseLibrary } from "../screens/library/search.ts";
import { parseSearch as parseRun } from "../screens/run/search.ts";
import { parseSearch as parseRuns } from "../screens/runs/search.ts";
import { parseSearch as parseServer } from "../screens/server/search.ts";
import { parseSearch as parseServers } from "../screens/servers/search.ts";
import { parseSearch as parseTool } from "../screens/tool/search.ts";
import { parseSearch as parseTools } from "../screens/tools/search.ts";
import { BrokenScreen } from "./error-boundary.tsx";
import { Shell } from "./shell.tsx";

const root = createRootRoute({
  component: Shell,
  notFoundComponent: lazyRouteComponent(() => import("./not-found.tsx"), "NotFound"),
});
const getParentRoute = () => root;

const routes = [
  createRoute({
    getParentRoute,
    path: "/",
    validateSearch: parseHome,
    component: lazyRouteComponent(() => import("../screens/home/home.tsx"), "Home"),
  }),
  createRoute({
    getParentRoute,
    path: "/inbox",
    validateSearch: parseInbox,
    component: lazyRouteComponent(() => import("../screens/inbox/inbox.tsx"), "Inbox"),
  }),
  createRoute({
    getParentRoute,
    path: "/runs",
    validateSearch: parseRuns,
    component: lazyRouteComponent(() => import("../screens/runs/runs.tsx"), "Runs"),
  }),
  createRoute({
    getParentRoute,
    path: "/runs/$run",
    validateSearch: parseRun,
    component: lazyRouteComponent(() => import("../screens/run/run.tsx"), "Run"),
  }),
  createRoute({
    getParentRoute,
    path: "/library",
    validateSearch: parseLibrary,
    component: lazyRouteComponent(() => import("../screens/library/library.tsx"), "Library"),
  }),
  createRoute({
    getParentRoute,
    path: "/library/$name",
    validateSearch: parseItem,
    component: lazyRouteComponent(() => import("../screens/item/item.tsx"), "Item"),
  }),
  createRoute({
    getParentRoute,
    path: "/servers",
    validateSearch: parseServers,
    component: lazyRouteComponent(() => import("../screens/servers/servers.tsx"), "Servers"),
  }),
  createRoute({
    getParentRoute,
    path: "/servers/$server",
    validateSearch: parseServer,
    component: lazyRouteComponent(() => import("../screens/server/server.tsx"), "Server"),
  }),
  createRoute({
    getParentRoute,
    path: "/tools",
    validateSearch: parseTools,
    component: lazyRouteComponent(() => import("../screens/tools/tools.tsx"), "Tools"),
  }),
  createRoute({
    getParentRoute,
    path: "/tools/$tool",
    validateSearch: parseTool,
    component: lazyRouteComponent(() => import("../screens/tool/tool.tsx"), "Tool"),
  }),
  createRoute({
    getParentRoute,
    path: "/code",
    validateSearch: parseCode,
    component: lazyRouteComponent(() => import("../screens/code/code.tsx"), "CodeScreen"),
  }),
  createRoute({
    getParentRoute,
    path: "/calls",
    validateSearch: parseCalls,
    component: lazyRouteComponent(() => import("../screens/calls/calls.tsx"), "Calls"),
  }),
  createRoute({
    getParentRoute,
    path: "/access",
    validateSearch: parseAccess,
    component: lazyRouteComponent(() => import("../screens/access/access.tsx"), "Access"),
  }),
] as const;

export const router = createRouter({
  routeTree: root.addChildren(routes),
  basepath: "/console",
  defaultPreload: "intent",
  defaultPendingComponent: () => <SkeletonRows rows={10} />,
  defaultErrorComponent: ({ error }) => <BrokenScreen failure={error} />,
  // Plain texts: `?status=failed,paused` and not a JSON of it.
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: (search) => {
    const text = new URLSearchParams(
      Object.entries(search).flatMap(([key, value]) =>
        value === undefined || value === "" ? [] : [[key, String(value)]],
      ),
    ).toString();
    return text === "" ? "" : `?${text.replaceAll("%2C", ",").replaceAll("%3A", ":")}`;
  },
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
