import { Download } from "lucide-react";
import { useState, type ReactNode } from "react";
import { toolErrorOf } from "../../api/api-error.ts";
import { ask } from "../../api/client.ts";
import { Button } from "../../parts/button.tsx";
import { copyText } from "../../parts/copy-button.tsx";
import { countOf } from "../../parts/format.ts";
import { Menu } from "../../parts/menu.tsx";
import { toast } from "../../parts/toast-store.ts";
import { exportName, exportText, type ExportFormat } from "./call-export.ts";
import type { CallRow } from "./call-tail.ts";
import { downloadText } from "./download.ts";
import type { CallFilter } from "./live-calls.ts";

/** More than a person reads; the command line has no limit. */
const EXPORT_MAX = 10_000;
/** Of one request: large enough to be quick, small enough not to hold the gateway up. */
const PAGE = 1_000;

/** Gives what the filter finds as a file, or to the clipboard. */
export function ExportMenu({ filter }: { readonly filter: CallFilter }): ReactNode {
  const [isBusy, setBusy] = useState(false);
  const run = async (give: (calls: readonly CallRow[]) => unknown) => {
    setBusy(true);
    try {
      const calls = await readCalls(filter);
      await give(calls);
      const isCut = calls.length === EXPORT_MAX;
      toast({
        tone: "ok",
        title: countOf(calls.length, "call exported", "calls exported"),
        detail: isCut ? "These are the newest; narrow the filter for older ones." : undefined,
      });
    } catch (failure) {
      const { message, hint } = toolErrorOf(failure);
      toast({ tone: "fail", title: message, detail: hint });
    } finally {
      setBusy(false);
    }
  };
  const save = (format: ExportFormat) => () =>
    void run((calls) =>
      downloadText(exportText(calls, format), exportName(format, new Date()), TYPES[format]),
    );
  return (
    <Menu
      trigger={
        <Button icon={Download} busy={isBusy}>
          Export
        </Button>
      }
      items={[
        { label: "Save as JSON", run: save("json") },
        { label: "Save as CSV", run: save("csv") },
        "line",
        { label: "Copy as JSON", run: () => void run((calls) => copyText(exportText(calls, "json"))) },
      ]}
    />
  );
}

const TYPES: Readonly<Record<ExportFormat, string>> = {
  json: "application/json",
  csv: "text/csv;charset=utf-8",
};

async function readCalls(filter: CallFilter): Promise<CallRow[]> {
  const calls: CallRow[] = [];
  let before: string | undefined;
  do {
    const limit = Math.min(PAGE, EXPORT_MAX - calls.length);
    const page = await ask("listCalls", {
      query: { ...filter, limit, ...(before !== undefined && { before }) },
    });
    calls.push(...page.calls);
    before = page.calls.length === 0 ? undefined : page.next;
  } while (before !== undefined && calls.length < EXPORT_MAX);
  return calls;
}
