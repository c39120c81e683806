import type { ClientPlace } from "../../clients/client.ts";
import type { OwnProcess } from "../connect/own-command.ts";
import type { GlobalOptions } from "../global-options.ts";

export interface InitOptions extends GlobalOptions {
  readonly yes?: boolean;
  readonly from?: readonly string[];
  /** The keys of the servers to add. */
  readonly only?: readonly string[];
  readonly moveSecrets?: boolean;
  readonly connect?: boolean;
  readonly keepServers?: true;
  readonly dryRun?: boolean;
  readonly undo?: boolean;
  readonly force?: boolean;
}

/** What a person wants done with what was found. */
export type Answer = "add" | "move" | "no";

/** Everything about the machine. */
export interface InitEnvironment {
  readonly place: ClientPlace;
  readonly own: OwnProcess;
  /** Where the result goes, line by line. */
  readonly print: (line: string) => void;
  /** Where all else goes. */
  readonly note: (line: string) => void;
  /** The same for errors, which are told however quiet it is to be. */
  readonly tell: (line: string) => void;
  /** Absent if no question can be asked. */
  readonly ask?: (question: string, secretCount: number) => Promise<Answer>;
}
