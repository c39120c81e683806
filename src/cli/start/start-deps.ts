/** What the steps of the guided start share: what they need, what they have done, and how they say it. */
import type { ClientPlace } from "../../clients/client.ts";
import { escapeUnprintable } from "../../text/printable.ts";
import type { OwnProcess } from "../connect/own-command.ts";
import type { Session } from "../session.ts";
import type { GlobalOptions } from "../global-options.ts";
import type { Dialog } from "./dialog.ts";
import { dim } from "../terminal/terminal.ts";

export interface StartEnvironment {
  readonly place: ClientPlace;
  readonly own: OwnProcess;
}

/** What has been done, with the way back, and what would come next. */
export interface StartProgress {
  readonly done: string[];
  readonly left: string[];
  /** A change under way: a stop waits for it. */
  change: Promise<unknown>;
  /** Open while servers are tried out. */
  session?: Session;
}

/** Everything that a step needs. */
export interface StartDeps extends StartEnvironment {
  readonly options: GlobalOptions;
  readonly dialog: Dialog;
  readonly progress: StartProgress;
  readonly target: { readonly path: string; readonly home: string };
}

/** The same without questions, and the way back. */
export function tellCommands(same: readonly string[], back: string, dialog: Dialog): void {
  for (const command of same) dialog.say(`  Without questions: ${command}`, 4, dim);
  dialog.say(`  To undo: ${back}`, 4, dim);
  dialog.say();
}

/** Whether secrets go to the secret store. */
export async function askSecrets(
  secrets: readonly string[],
  where: string,
  dialog: Dialog,
): Promise<boolean> {
  const names = secrets.map(escapeUnprintable).join(", ");
  const what = secrets.length === 1 ? "A secret is" : `${secrets.length} secrets are`;
  dialog.say(
    `${what} in plain text ${where}: ${names}. In the secret store, a value is encrypted with the system's keyring, or in a file that only you can read.`,
  );
  return dialog.yesNo(
    secrets.length === 1 ? "Move it to the secret store?" : "Move them to the secret store?",
  );
}

/** A path below the home folder with `~`. */
export function short(path: string, { homedir: home }: ClientPlace): string {
  return escapeUnprintable(path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path);
}
