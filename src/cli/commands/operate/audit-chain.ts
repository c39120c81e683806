/** `repertoire audit verify` and `export`: whether the trail is whole, and the trail for a program that checks it. */
import type { Audit } from "../../../core/store.ts";
import { defineCommand } from "../../command.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { useStore } from "../../store-call.ts";
import { EXIT } from "../../terminal/exit-code.ts";
import {
  failWith,
  green,
  note,
  print,
  printJson,
  red,
  tell,
  terminalOptions,
} from "../../terminal/terminal.ts";
import { countOf } from "../../terminal/wording.ts";
import { SINCE_OPTION } from "./list-options.ts";

interface ExportOptions extends GlobalOptions {
  /** In milliseconds since 1970. */
  readonly since?: number;
}

const PAGE_LENGTH = 500;

export const auditVerifyCommand = defineCommand({
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

export const auditExportCommand = defineCommand({
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
