/**
 * `repertoire audit`: who changed or was refused what, newest first, as the trail in the store has it. `verify` says
 * whether the trail is whole, and `export` prints it for a program that checks it.
 */
import { agoOf, countOf } from "../../terminal/wording.ts";
import type { App } from "../../../app/app.ts";
import type { JsonObject } from "../../../core/json.ts";
import { succeed, type ToolResult } from "../../../core/result.ts";
import { useApp } from "../../app-call.ts";
import type { GlobalOptions } from "../../global-options.ts";
import {
  failWith,
  green,
  note,
  print,
  printJson,
  printTable,
  red,
  tell,
  terminalOptions,
} from "../../terminal/terminal.ts";
import { defineCommand } from "../../command.ts";
import { limitOption, SINCE_OPTION } from "./list-options.ts";
import type { Audit } from "../../../core/store.ts";
import { useStore } from "../../store-call.ts";
import { EXIT } from "../../terminal/exit-code.ts";

interface ExportOptions extends GlobalOptions {
  /** In milliseconds since 1970. */
  readonly since?: number;
}

interface AuditOptions extends ExportOptions {
  readonly server?: string;
  readonly limit: number;
}

interface Listed {
  readonly entries: readonly {
    readonly seq: number;
    readonly at: string;
    readonly actor: string;
    readonly action: string;
    readonly subject: string;
    readonly details: JsonObject;
  }[];
}

const LIMIT_DEFAULT = 50;
const LIMIT_MAX = 10_000;
const PAGE_LENGTH = 500;

const auditVerifyCommand = defineCommand({
  name: "verify",
  summary: "Check that no entry of the audit trail was changed, removed or put in by hand",
  help: "Exits with 0 where the chain is whole, and with 1 where it is broken; then it names the first bad entry.",
  run: (options: GlobalOptions) => useStore(options, ({ audit }) => verify(audit, options)),
});

async function verify(audit: Audit, options: GlobalOptions): Promise<number> {
  const brokenAt = await audit.findBreak();
  const [newest] = await audit.newest({ limit: 1 });
  const entries = newest?.seq ?? 0;
  if (options.json === true) {
    const head = newest === undefined ? {} : { hash: newest.hash };
    printJson(
      brokenAt === undefined ? { whole: true, entries, ...head } : { whole: false, broken_at: brokenAt },
    );
  } else if (brokenAt === undefined) {
    note(
      `${green("whole")} The audit trail has ${countOf(entries, "entry", "entries")}, and each follows from the one before.`,
    );
  } else {
    tell(
      `${red("broken")} The audit trail is broken at entry ${brokenAt}: it was edited, cut or put in by hand.`,
    );
  }
  return brokenAt === undefined ? EXIT.ok : EXIT.failed;
}

const auditExportCommand = defineCommand({
  name: "export",
  summary: "Print the audit trail as JSON lines with their hashes, oldest first",
  options: [SINCE_OPTION],
  help: `Each line has seq, at (ms since 1970), actor, action, subject, details, previous_hash and hash. hash is the SHA-256, in hex,
of previous_hash followed by the JSON of {action, actor, at, details, seq, subject}: keys in this order, no white space, and
details as a text that has its own JSON in it, with sorted keys. The first entry of all has an empty previous_hash.`,
  examples: ["repertoire audit export > audit.jsonl", "repertoire audit export --since 7d"],
  run: (options: ExportOptions) => useStore(options, ({ audit }) => exportEntries(audit, options)),
});

async function exportEntries(audit: Audit, { since = 0 }: ExportOptions): Promise<number> {
  if (terminalOptions().jq !== undefined)
    return failWith(
      EXIT.usage,
      "--jq filters one answer, and this prints many lines.",
      "Pipe the lines to jq.",
    );
  let previousHash = "";
  // From the first that is late enough, everything: a chain with gaps could not be checked.
  let hasBegun = false;
  for (let afterSeq = 0; ;) {
    const page = await audit.list({ limit: PAGE_LENGTH, afterSeq });
    for (const { hash, ...entry } of page) {
      hasBegun ||= entry.at >= since;
      if (hasBegun) print(JSON.stringify({ ...entry, previous_hash: previousHash, hash }));
      previousHash = hash;
      afterSeq = entry.seq;
    }
    if (page.length < PAGE_LENGTH) return EXIT.ok;
  }
}

export const auditCommand = defineCommand({
  name: "audit",
  group: "operate",
  summary: "Show the audit trail: what was changed, decided and refused, newest first",
  options: [
    SINCE_OPTION,
    { flags: "--server <name>", about: "only entries about this server or its tools" },
    limitOption(LIMIT_DEFAULT, LIMIT_MAX),
  ],
  help: `The trail records changed and removed tool definitions, saved, renamed and deleted library items, decisions on
approvals, calls that the config or a rule denies, and changes of rules and tokens; each with who did it.`,
  examples: [
    "repertoire audit",
    "repertoire audit --since 2h --server github",
    "repertoire audit --since 2026-03-01 --limit 1000 --json",
    "repertoire audit verify",
  ],
  run: (options: AuditOptions) => useApp(options, (app) => list(app, options), { show }),
  commands: [auditVerifyCommand, auditExportCommand],
});

async function list({ store }: App, { since = 0, server, limit }: AuditOptions): Promise<ToolResult<Listed>> {
  const entries: Listed["entries"][number][] = [];
  let beforeSeq: number | undefined;
  while (entries.length < limit) {
    const page = await store.audit.newest({
      limit: PAGE_LENGTH,
      ...(beforeSeq !== undefined && { beforeSeq }),
    });
    for (const { seq, at, actor, action, subject, details } of page) {
      beforeSeq = seq;
      // The clock may have been set back in between: an older entry can have a later time.
      if (at < since || !isAbout(server, subject, details) || entries.length === limit) continue;
      entries.push({ seq, at: new Date(at).toISOString(), actor, action, subject, details });
    }
    if (page.length < PAGE_LENGTH) break;
  }
  return succeed({ entries });
}

function isAbout(server: string | undefined, subject: string, details: JsonObject): boolean {
  return (
    server === undefined ||
    subject === server ||
    subject.startsWith(`${server}__`) ||
    details["server"] === server
  );
}

function show({ entries }: Listed): void {
  if (entries.length === 0) {
    note("The audit trail has no such entries.");
    return;
  }
  const rows = entries.map(({ at, actor, action, subject, details }) => [
    agoOf(at),
    actor,
    action,
    subject,
    Object.entries(details)
      .filter(([name]) => name !== "traceId")
      .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
      .join(" "),
  ]);
  printTable([["WHEN", "WHO", "WHAT", "SUBJECT", "DETAILS"], ...rows]);
}
