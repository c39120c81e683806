/** `repertoire audit`: who changed or was refused what, newest first, as the trail in the store has it. */
import { agoOf } from "../../terminal/wording.ts";
import { InvalidArgumentError } from "commander";
import type { App } from "../../../app/app.ts";
import type { JsonObject } from "../../../core/json.ts";
import { succeed, type ToolResult } from "../../../core/result.ts";
import { useApp } from "../../app-call.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { note, printTable } from "../../terminal/terminal.ts";
import { defineCommand } from "../../command.ts";
import { parseMoment } from "../../moment.ts";

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
    {
      flags: "--since <time>",
      about: "only since this time: 30m, 2h, 7d, or a date such as 2026-03-01",
      parse: parseSince,
    },
    { flags: "--server <name>", about: "only entries about this server or its tools" },
    {
      flags: "--limit <n>",
      about: `show at most this many, up to ${LIMIT_MAX}`,
      parse: parseLimit,
      default: LIMIT_DEFAULT,
    },
  ],
  help: `The trail records changed and removed tool definitions, saved, renamed and deleted library items, decisions on
approvals, and calls that the config denies. repertoire doctor checks whether the trail was changed by hand.`,
  examples: [
    "repertoire audit",
    "repertoire audit --since 2h --server github",
    "repertoire audit --since 2026-03-01 --limit 1000 --json",
  ],
  run: (options: AuditOptions) => useApp(options, (app) => list(app, options), { show }),
});

/** A time back from now, or a date. */
export function parseSince(written: string, _before?: unknown, nowMs: number = Date.now()): number {
  const at = parseMoment(written, -1, nowMs);
  if (at === undefined) throw new InvalidArgumentError("Give 30m, 2h or 7d, or a date such as 2026-03-01.");
  return at;
}

function parseLimit(written: string): number {
  const limit = Number(written);
  if (Number.isSafeInteger(limit) && limit >= 1 && limit <= LIMIT_MAX) return limit;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${LIMIT_MAX}.`);
}

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
  const rows = entries.map(({ at, action, subject, details }) => [
    agoOf(at),
    action,
    subject,
    Object.entries(details)
      .filter(([name]) => name !== "traceId")
      .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
      .join(" "),
  ]);
  printTable([["WHEN", "WHAT", "SUBJECT", "DETAILS"], ...rows]);
}
