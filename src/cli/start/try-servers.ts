/**
 * Starts servers and shows how each one does: a line for each that has answered or failed, and below them one line that
 * says what is still starting. Enter continues without waiting; servers that are still starting continue until the
 * guided setup ends.
 */
import { countOf } from "../terminal/wording.ts";
import type { App, ServerView } from "../../app/app.ts";
import type { ServerConfig } from "../../config/config.ts";
import { escapeUnprintable } from "../../text/printable.ts";
import { reportUnusable } from "../doctor/config-checks.ts";
import { cureFor, type CurePlace } from "../doctor/cures.ts";
import { Stopped, type Dialog } from "./dialog.ts";
import { bold, dim, green, red, yellow } from "../terminal/terminal.ts";
import { cut } from "../../text/cut.ts";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const INTERVAL_MS = 100;
const ENTER = /[\r\n]/;
const INTERRUPT = "\u0003";

export interface ServerCheck {
  /** Servers that are up, in the order of the config, as in the other lists. */
  readonly ready: readonly string[];
  /** Those that were not waited for. */
  readonly pending: readonly string[];
  readonly failed: readonly string[];
}

export async function checkServers(
  app: Pick<App, "viewServers">,
  servers: readonly ServerConfig[],
  place: CurePlace,
  dialog: Dialog,
  whenLeft = "still starting in the background",
): Promise<ServerCheck> {
  const starting = new Map(servers.map((server) => [server.id, server]));
  const idWidth = Math.max(0, ...servers.map(({ id }) => id.length));
  const ready = new Set<string>();
  const failed = new Set<string>();
  const line = openLiveLine(dialog);
  const checks = servers.map(async (server) => {
    const [view] = await app.viewServers(true, [server.id]);
    if (!starting.delete(server.id) || view === undefined) return;
    (view.state === "ready" && view.cause === undefined ? ready : failed).add(server.id);
    line.clear();
    for (const text of describe(view, server, idWidth, place)) dialog.say(text, idWidth + 4);
  });
  const startedAt = performance.now();
  const showStarting = async (): Promise<void> => {
    const views = await app.viewServers(false, [...starting.keys()]);
    if (starting.size > 0) line.show(describeStarting(views, performance.now() - startedAt));
  };
  const timer = setInterval(() => void showStarting().catch(() => {}), INTERVAL_MS);
  const keys = listenToKeys();
  let pending: string[] = [];
  try {
    await Promise.race([Promise.all(checks), keys.pressed]);
  } finally {
    clearInterval(timer);
    keys.stop();
    line.clear();
    pending = [...starting.keys()];
    // What comes later is not shown any more.
    starting.clear();
  }
  for (const id of pending) {
    dialog.say(`${yellow("…")} ${id.padEnd(idWidth)}  ${whenLeft}`, idWidth + 4);
  }
  const ids = servers.map(({ id }) => id);
  return {
    ready: ids.filter((id) => ready.has(id)),
    pending,
    failed: ids.filter((id) => failed.has(id)),
  };
}

function describe(view: ServerView, server: ServerConfig, idWidth: number, place: CurePlace): string[] {
  const id = view.id.padEnd(idWidth);
  if (view.state === "ready" && view.cause === undefined) {
    return [`${green("✓")} ${id}  ${countOf(view.toolCount ?? 0, "tool")}`];
  }
  const margin = " ".repeat(idWidth + 4);
  if (view.state === "needs_input" || view.state === "unusable") {
    const { message, cure = "" } = reportUnusable(server, place);
    return [
      `${red("✗")} ${id}  ${escapeUnprintable(message)}`,
      `${margin}→ ${bold(escapeUnprintable(cure))}`,
    ];
  }
  const reason = view.error ?? "did not answer in time";
  const { cure, advice } = cureFor(view.cause ?? "lost", server, place);
  const said = view.stderr?.at(-1);
  return [
    `${red("✗")} ${id}  ${escapeUnprintable(reason)}`,
    ...(said === undefined || reason.includes(said)
      ? []
      : [`${margin}last output: ${escapeUnprintable(said)}`]),
    ...(advice === undefined ? [] : [`${margin}${escapeUnprintable(advice)}`]),
    `${margin}→ ${bold(escapeUnprintable(cure))}`,
  ];
}

/** What a server that is starting has said last, where that is known. */
type StartingView = ServerView & { readonly starting?: { readonly said?: string } };

/** What is still under way: how long, whose last words, and the way out. */
function describeStarting(views: readonly ServerView[], elapsedMs: number): string {
  const names = views.map(({ id }) => id).join(", ");
  const said = views.flatMap((view: StartingView) => view.starting?.said ?? view.stderr?.at(-1) ?? []).at(-1);
  const words = said === undefined ? "" : `: ${escapeUnprintable(said)}`;
  return `starting ${names} (${Math.round(elapsedMs / 1000)} s)${words}`;
}

const WAY_OUT = " · press Enter to continue without waiting";

interface LiveLine {
  show(text: string): void;
  clear(): void;
}

/** One line at the bottom that changes in place. */
function openLiveLine(dialog: Dialog): LiveLine {
  let frame = 0;
  let isShown = false;
  return {
    show(text) {
      const head = `${FRAMES[frame++ % FRAMES.length]} `;
      const room = dialog.width() - head.length - WAY_OUT.length - 1;
      process.stderr.write(`\r\u001B[2K${head}${cut(text, room)}${dim(WAY_OUT)}`);
      isShown = true;
    },
    clear() {
      if (isShown) process.stderr.write("\r\u001B[2K");
      isShown = false;
    },
  };
}

/** Enter resolves, Ctrl-C rejects. In raw mode, so that nothing that is typed moves the lines. */
function listenToKeys(): { readonly pressed: Promise<void>; stop(): void } {
  const { stdin } = process;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const take = (chunk: Buffer): void => {
    const text = chunk.toString();
    if (text.includes(INTERRUPT)) reject(new Stopped());
    else if (ENTER.test(text)) resolve();
  };
  stdin.setRawMode(true);
  stdin.on("data", take);
  stdin.resume();
  return {
    pressed: promise,
    stop() {
      stdin.off("data", take);
      stdin.pause();
      stdin.setRawMode(false);
    },
  };
}
