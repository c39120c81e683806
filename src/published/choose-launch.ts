/** Which of the ways to start or reach a published server is taken. */
import { fail, type ToolResult } from "../core/result.ts";
import { quote } from "../text/quote.ts";
import type { Launch } from "./launch.ts";
import { launchPackage } from "./package-launch.ts";
import { launchRemote } from "./remote-launch.ts";
import { kindsOf, type PublishedPackage, type PublishedServer } from "./server-json.ts";

/** In the order in which they are preferred. */
export const LAUNCH_KINDS = ["npm", "pypi", "oci", "mcpb", "remote"] as const;
export type LaunchKind = (typeof LAUNCH_KINDS)[number];

/** A bundle is launched by its own manifest, which has to be fetched first. */
export type ChosenLaunch = { readonly launch: Launch } | { readonly bundle: PublishedPackage };

export function chooseLaunch(server: PublishedServer, wanted?: LaunchKind): ToolResult<ChosenLaunch> {
  for (const kind of wanted === undefined ? LAUNCH_KINDS : [wanted]) {
    const chosen = launchOf(server, kind);
    if (chosen !== undefined) return chosen;
  }
  return cannotStart(server, wanted);
}

function launchOf(
  { packages, remotes }: PublishedServer,
  kind: LaunchKind,
): ToolResult<ChosenLaunch> | undefined {
  if (kind === "remote") return wrap(launchRemote(remotes ?? []));
  const own = (packages ?? []).find(
    ({ registryType, transport }) => registryType === kind && transport.type === "stdio",
  );
  if (own === undefined) return undefined;
  return kind === "mcpb" ? { success: true, data: { bundle: own } } : wrap(launchPackage(own));
}

function wrap(launch: ToolResult<Launch> | undefined): ToolResult<ChosenLaunch> | undefined {
  if (launch === undefined || !launch.success) return launch;
  return { success: true, data: { launch: launch.data } };
}

function cannotStart(server: PublishedServer, wanted: LaunchKind | undefined): ToolResult<never> {
  const kinds = kindsOf(server).map((kind) => quote(kind));
  const has = kinds.length === 0 ? "It names no package and no address" : `It has ${kinds.join(", ")}`;
  const what = wanted === undefined ? LAUNCH_KINDS.join(", ") : wanted;
  return fail("TOOL_INVALID_INPUT", `${server.name} cannot be added as ${what}. ${has}.`, {
    reason: "no_launch",
    hint: "Packages are started over stdio. Its page says how else it is started: repertoire add NAME -- COMMAND",
  });
}
