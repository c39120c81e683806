/**
 * The pin check: what a server offers is compared with what is on record of it before anybody is shown it. The registry
 * asks; `trust/pins.ts` answers.
 */
import type { JsonObject } from "./json.ts";
import type { TrustLevel } from "./rule.ts";
import type { PinKind } from "./trust-store.ts";

/** Something that a server offers now, as it was admitted. */
export interface OfferedThing {
  readonly kind: PinKind;
  /** As the server calls it; of a template, the template. Identity and instructions have none. */
  readonly name: string;
  readonly definition: JsonObject;
  /** What the scanner found in its texts. It is asked for only where that decides something. */
  readonly finding: () => ThingFinding | undefined;
}

export interface ThingFinding {
  readonly code: string;
  /** With the place and the text, for a person. */
  readonly text: string;
}

/** One look at everything that a server offers. */
export interface Sighting {
  readonly server: string;
  readonly things: readonly OfferedThing[];
  /** Whether nothing is missing: what is on record and not in it is gone. */
  readonly isWhole: boolean;
}

/** Why something may not be used. */
export interface Hold {
  readonly since: number;
  /** In words of our own: a model reads them, and what is held must not speak to it. */
  readonly words: readonly string[];
  /** Whether a person said no. */
  readonly isRejected: boolean;
  /** Whether it is held because the server as a whole is. */
  readonly isOfServer: boolean;
}

/** What may not be used of one server. */
export interface Holds {
  of(kind: PinKind, name: string): Hold | undefined;
  /** Of everything that the server has. */
  readonly ofServer: Hold | undefined;
  /** Equal for as long as the same things are held. */
  readonly mark: string;
}

export const NOTHING_HELD: Holds = { of: () => undefined, ofServer: undefined, mark: "" };

export interface PinCheck {
  trustOf(server: string): TrustLevel;
  /** Whether something of the server may be held, so that a call needs a list that the server itself has served. */
  mayHold(server: string): boolean;
  /** Reads what is on record. */
  load(): Promise<void>;
  /**
   * What of it may not be used, by what this process knows. Undefined for a server that must have a baseline before it
   * is shown, and has none.
   */
  judge(sighting: Sighting): Holds | undefined;
  /** Puts on record what a server offers; the first sight of it is the baseline. Rejects where the store does. */
  see(sighting: Sighting): Promise<void>;
  /** Looks whether another process has changed something; without the revision that is on record now, the store is asked. */
  freshen(revision?: number): Promise<void>;
  /** Tells of servers of which something else is on record now. */
  changed(listener: (server: string) => void): () => void;
}
