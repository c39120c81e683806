import { CLIENT_IDS, CLIENT_TITLES, type ClientId } from "../../clients/client.ts";
import { describeEntry } from "../../clients/connect/client-entry.ts";
import { findClientTarget, OWN_KEY, type ClientTarget } from "../../clients/connect/client-target.ts";
import {
  planClientEdit,
  undoClientEdit,
  writeClientEdit,
  type ClientEdit,
} from "../../clients/connect/client-edit.ts";
import { findMovedServers, NOTHING_MOVED, type MovedServers } from "../../clients/connect/moved-servers.ts";
import { locateConfig } from "../../config/locate.ts";
import { didYouMean, nearest } from "../../text/nearest.ts";
import { escapeUnprintable } from "../../text/printable.ts";
import { loadConfigWithInputs } from "../../secrets/inputs.ts";
import { commandLine } from "../command-line.ts";
import { askYesNo, canAsk, whyNotAsked } from "../terminal/confirm.ts";
import {
  adviceFor,
  describeServer,
  TOKEN_VARIABLE,
  wordsOf,
  type ConnectOptions,
  type ConnectEnvironment,
} from "./connect-server.ts";
import { EXIT } from "../terminal/exit-code.ts";
import { ownProcess } from "./own-command.ts";
import type { GlobalOptions } from "../global-options.ts";
import { diffServers, showDiff } from "../terminal/shown-diff.ts";
import { failWith, green, note, print, printJson, yellow } from "../terminal/terminal.ts";
import { thisPlace } from "../place.ts";
import { defineCommand } from "../command.ts";
import { undoChange, type Undone } from "../../config/files/backup.ts";

export const connectCommand = defineCommand({
  name: "connect",
  group: "start",
  summary: "Add this gateway to the config of an MCP client",
  arguments: [{ words: "<client>", about: `one of ${CLIENT_IDS.join(", ")}`, completes: ["clients"] }],
  options: [
    { flags: "--project", about: "For this folder only, in the config file of the project" },
    { flags: "--profile <name>", about: "Show the client only this profile of the config" },
    {
      flags: "--http <url>",
      about: "Connect to a running gateway at this address instead of starting one",
    },
    {
      flags: "--no-token",
      about: `With --http: send no token from ${TOKEN_VARIABLE}, for a gateway behind OAuth`,
    },
    {
      flags: "--keep-servers [names...]",
      about: "Keep servers in the client that the gateway also has: all, or those named",
    },
    { flags: "--yes", about: "Do not ask; required without a terminal" },
    {
      flags: "--undo",
      about: "Restore the client's file, byte for byte; if it was changed since, only the entries",
    },
    {
      flags: "--force",
      about: "With --undo: the whole file, also if it was changed since; those changes are lost",
    },
  ],
  dryRun: "own",
  help: `It shows the change and asks once. It adds the entry "${OWN_KEY}" and removes the servers that your config also has,
because the client would otherwise see their tools twice; --keep-servers keeps them. Comments and layout stay. The old
file is stored in the backups folder of the home, and --undo restores it. With --project, --profile or --http no server
is removed.`,
  examples: [
    "repertoire connect claude",
    "repertoire connect vscode --project --profile review",
    "repertoire connect codex --http http://127.0.0.1:7373/mcp",
    "repertoire connect cursor --dry-run",
    "repertoire connect cursor --undo",
  ],
  run: (options: ConnectOptions, client: string) => connect(client, options, currentEnvironment(options)),
});

function currentEnvironment(options: GlobalOptions): ConnectEnvironment {
  return {
    place: thisPlace(),
    home: locateConfig({ configPath: options.config, home: options.home }).home,
    own: ownProcess(),
    ...(canAsk() ? { ask: askYesNo } : {}),
  };
}

/** What connecting a client would do. */
export type ConnectionPlan =
  | { readonly kind: "change"; readonly change: ClientEdit; readonly moved: MovedServers }
  | { readonly kind: "unchanged"; readonly target: ClientTarget }
  | { readonly kind: "refused"; readonly message: string; readonly exitCode: number };

/** Connects one client, or takes that back; the exit code says how it went. */
export async function connect(
  name: string,
  options: ConnectOptions,
  environment: ConnectEnvironment,
): Promise<number> {
  const client = CLIENT_IDS.find((id) => id === name);
  if (client === undefined) {
    const known = `Clients: ${CLIENT_IDS.join(", ")}.`;
    return refuse(
      `there is no client "${name}".${didYouMean(nearest(name, CLIENT_IDS))} ${known}`,
      EXIT.usage,
    );
  }
  if (options.undo === true) {
    const target = targetOf(client, options, environment);
    return typeof target === "string" ? refuse(target, EXIT.usage) : undo(target, options, environment);
  }
  const plan = await planConnection(client, options, environment);
  if (plan.kind === "refused") return refuse(plan.message, plan.exitCode);
  if (plan.kind === "change") return carryOut(plan.change, plan.moved, options, environment);
  const { target } = plan;
  return done(target, options, { changed: false, diff: "", backup: null, gone: [] }, [
    `${CLIENT_TITLES[client]} already has this entry in ${target.path}; nothing was changed`,
  ]);
}

/** Looks at the client's file and at our config; changes nothing. */
export async function planConnection(
  client: ClientId,
  options: ConnectOptions,
  environment: ConnectEnvironment,
): Promise<ConnectionPlan> {
  const target = targetOf(client, options, environment);
  if (typeof target === "string") return refusal(target, EXIT.usage);
  const server = describeServer(options, environment);
  if (typeof server === "string") return refusal(server, EXIT.usage);
  const entry = describeEntry(client, server);
  if (entry === undefined) {
    const title = CLIENT_TITLES[client];
    return refusal(
      `the config file of ${title} takes only programs. Omit --http, or add the address in ${title} itself`,
      EXIT.usage,
    );
  }
  const moved = await findMoved(target, options, environment);
  const plan = planClientEdit(
    target,
    entry,
    moved.here.map(({ key }) => key),
  );
  if (plan.kind === "change") return { kind: "change", change: plan, moved };
  if (plan.kind === "unchanged") return { kind: "unchanged", target };
  return refusal(`${plan.message}\nNothing was changed. Fix the file, then try again.`, EXIT.failed);
}

function targetOf(
  client: ClientId,
  { project }: ConnectOptions,
  { place }: ConnectEnvironment,
): ClientTarget | string {
  return (
    findClientTarget(client, project === true ? "project" : "user", place) ??
    `${CLIENT_TITLES[client]} has no config file for a folder; omit --project`
  );
}

function refusal(message: string, exitCode: number): ConnectionPlan {
  return { kind: "refused", message, exitCode };
}

/**
 * What the gateway takes over from the client. A profile may not show it, a gateway at an address may have another
 * config, and a project's file belongs to others as well.
 */
async function findMoved(
  target: ClientTarget,
  { config: configPath, home, keepServers, profile, http }: ConnectOptions,
  { place }: ConnectEnvironment,
): Promise<MovedServers> {
  const isPartial = profile !== undefined || http !== undefined || target.scope === "project";
  if (keepServers === true || isPartial) return NOTHING_MOVED;
  const loaded = await loadConfigWithInputs({ ...place, configPath, home });
  return loaded.ok ? findMovedServers(target, place, loaded.config, keepServers) : NOTHING_MOVED;
}

async function carryOut(
  plan: ClientEdit,
  moved: MovedServers,
  options: ConnectOptions,
  environment: ConnectEnvironment,
): Promise<number> {
  const { target, before, after, gone } = plan;
  const title = CLIENT_TITLES[target.client];
  const diff = diffServers({ path: target.path, before, after, format: target.format });
  if (options.json !== true) showDiff(diff, print);
  else if (options.dryRun !== true && options.yes !== true) showDiff(diff, note);
  if (options.dryRun === true) {
    return done(target, options, { changed: false, diff, backup: null, gone }, [
      ...describeMoved(plan, moved),
      "Nothing was changed (--dry-run)",
    ]);
  }
  if (options.yes !== true) {
    if (environment.ask === undefined) {
      const again = commandLine(["connect", target.client, ...wordsOf(options), "--yes"], options);
      return refuse(`nothing was changed: ${whyNotAsked()}. To do it, run: ${again}`, EXIT.usage);
    }
    for (const line of describeMoved(plan, moved)) note(line);
    if (!(await environment.ask(`Write this to ${target.path}?`)))
      return refuse("nothing was changed", EXIT.refused);
  }
  const written = writeClientEdit(plan, environment.home);
  if (written.kind === "changed") {
    return refuse(
      `${target.path} was changed by another program meanwhile; nothing was written. Try again.`,
      EXIT.refused,
    );
  }
  return done(target, options, { changed: true, diff, backup: written.backup, gone }, [
    `${green("connected")} ${title} in ${target.path}. Restart ${title} to apply.`,
    ...(options.yes === true ? describeMoved(plan, moved) : []),
    ...adviceFor(target.client, options, environment),
    `To undo: ${commandLine(["connect", target.client, ...undoWords(options)], options)}`,
  ]);
}

/** Which servers go, which cannot, and which are in files that are left alone. */
export function describeMoved(
  { target, gone, stuck }: ClientEdit,
  { elsewhere, waiting }: Pick<MovedServers, "elsewhere" | "waiting">,
): string[] {
  const title = CLIENT_TITLES[target.client];
  const names = (keys: readonly string[]): string => keys.map(escapeUnprintable).join(", ");
  return [
    ...(gone.length === 0
      ? []
      : [`Removed from ${title}, because the gateway has them: ${names(gone)} (--keep-servers keeps them)`]),
    ...(stuck.length === 0
      ? []
      : [`${yellow("note")} ${title} now has these twice; remove them by hand: ${names(stuck)}`]),
    ...(waiting.length === 0
      ? []
      : [
          `${yellow("note")} ${names(waiting)}: still in ${title}, because the gateway cannot start it yet. Run repertoire doctor, then connect again`,
        ]),
    ...elsewhere.map(
      ({ key, path }) =>
        `${yellow("note")} ${escapeUnprintable(key)} is also in ${escapeUnprintable(path)}; remove it there by hand`,
    ),
  ];
}

function undo(target: ClientTarget, options: ConnectOptions, { home }: ConnectEnvironment): number {
  const undone = undoChange(target, target.path, home, options.force === true);
  if (undone.kind === "none") {
    return refuse(
      `there is no backup of ${target.path}: it was not connected with this home, or is already undone`,
      EXIT.failed,
    );
  }
  if (undone.kind === "changed") return undoEntries(target, options, home);
  const changed = undone.kind !== "already";
  return done(target, options, { changed, diff: "", backup: null, gone: [] }, [
    `${green("undone")} ${target.path} ${UNDONE[undone.kind]}`,
  ]);
}

/** Clients write to their own files all the time: what is ours is taken out of the file as it is now. */
function undoEntries(target: ClientTarget, options: ConnectOptions, home: string): number {
  const undone = undoClientEdit(target, home);
  if (undone.kind === "stuck") return refuse(changedSince(target, options), EXIT.refused);
  const back = undone.back.length === 0 ? "" : `, put back ${undone.back.map(escapeUnprintable).join(", ")}`;
  return done(target, options, { changed: true, diff: "", backup: null, gone: [] }, [
    `${green("undone")} removed Repertoire from ${target.path}${back}; other changes to the file are kept.`,
  ]);
}

export const UNDONE: Readonly<Record<Exclude<Undone["kind"], "none" | "changed">, string>> = {
  restored: "is restored",
  removed: "is removed; it did not exist before",
  already: "was already restored",
};

export function changedSince(
  target: Pick<ClientTarget, "client" | "path" | "section">,
  options: ConnectOptions,
): string {
  const again = commandLine(["connect", target.client, ...undoWords(options), "--force"], options);
  return `${target.path} was changed since it was connected; restoring it would lose those changes.
By hand: remove the entry ${target.section}.${OWN_KEY}, and put back the servers that connecting removed.
To restore the whole file and lose the changes: ${again}`;
}

function undoWords({ project }: ConnectOptions): string[] {
  return [...(project === true ? ["--project"] : []), "--undo"];
}

interface Done {
  readonly changed: boolean;
  readonly diff: string;
  readonly backup: string | null;
  /** The keys of the servers that were taken out. */
  readonly gone: readonly string[];
}

function done(
  { client, path }: ClientTarget,
  options: ConnectOptions,
  result: Done,
  lines: readonly string[],
): number {
  if (options.json === true) printJson({ client, file: path, ...result });
  else for (const line of lines) note(line);
  return EXIT.ok;
}

function refuse(message: string, exitCode: number): number {
  return failWith(exitCode, message);
}
