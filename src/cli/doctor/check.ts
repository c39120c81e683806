import type { ServerView, ViewCause } from "../../app/app.ts";

/** One line of the report. */
export interface Check {
  readonly name:
    | "node"
    | "home"
    | "store"
    | "config"
    | "secrets"
    | "servers"
    | "sandbox"
    | "isolation"
    | "server"
    | "clients";
  readonly state: "ok" | "warning" | "failed";
  readonly message: string;
  /** The command that cures it, to be copied. Every red line has one. */
  readonly cure?: string;
  /** What else helps, in a sentence. */
  readonly advice?: string;
  /** The names of the variables that servers get of this environment; never their values. */
  readonly passed?: readonly string[];
  /** What a line of the name `server` is about. */
  readonly server?: ServerReport;
}

/** What is known of one server; a key is absent where nothing is. */
export interface ServerReport {
  readonly id: string;
  readonly era?: string;
  readonly protocolVersion?: string;
  readonly toolCount?: number;
  readonly resourceCount?: number;
  readonly promptCount?: number;
  /** Of the definitions of its tools, in every conversation that shows them. */
  readonly tokens?: number;
  readonly startMs?: number;
  readonly latencyMs?: number;
  readonly rejected: ServerView["rejected"];
  readonly findings: ServerView["findings"];
  readonly cause?: ViewCause;
  /** The last lines that it wrote before it failed. */
  readonly stderr?: readonly string[];
}

/** A server of which nothing is known but its name, and perhaps why it cannot start. */
export function reportOf(id: string, cause?: ViewCause): ServerReport {
  return { id, rejected: [], findings: [], ...(cause !== undefined && { cause }) };
}

/** A word of a shell's command line. */
export function shellWord(text: string): string {
  return /^[\w./~+:@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
