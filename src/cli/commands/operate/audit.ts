/** `repertoire audit`: who changed or was refused what, newest first, as the trail in the store has it. */
import { agoOf } from "../../terminal/wording.ts";
import type { App } from "../../../app/app.ts";
import type { JsonObject } from "../../../core/json.ts";
import { succeed, type ToolResult } from "../../../core/result.ts";
import { useApp } from "../../app-call.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { note, printTable } from "../../terminal/terminal.ts";
import { defineCommand } from "../../command.ts";
import { auditExportCommand, auditVerifyCommand } from "./audit-chain.ts";
import { limitOption, SINCE_OPTION } from "./list-options.ts";

interface AuditOptions extends GlobalOptions {
  /** In milliseconds since 1970. */
  readonly since?: number;
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
