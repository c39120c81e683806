/** `repertoire status`: what the home of the console shows, in a few lines. */
import type { AnswerOf } from "../../../operator/contract/contract.ts";
import { getStatus } from "../../../operator/status.ts";
import { escapeUnprintable } from "../../../text/printable.ts";
import { useApp } from "../../app-call.ts";
import { defineCommand } from "../../command.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { bold, dim, print } from "../../terminal/terminal.ts";
import { agoOf, countOf, withCommas } from "../../terminal/wording.ts";

type Status = AnswerOf<"getStatus">;

export const statusCommand = defineCommand({
  name: "status",
  group: "operate",
  summary:
    "Show what waits, the servers, the runs of a day, what your tools cost, the last calls and clients",
  help: "Nothing is started.",
  examples: ["repertoire status", "repertoire status --json"],
  run: (options: GlobalOptions) =>
    useApp(options, (_app, { deps, viewer }) => getStatus(deps, viewer), { show }),
});

const LABEL_WIDTH = 8;

function show(status: Status): void {
  print(`${bold("Repertoire")} ${status.version}`);
  if (status.store !== undefined) line("store", storeText(status.store));
  line("waiting", status.waiting.map(({ kind, count }) => `${count} ${kind}`).join(", ") || "nothing");
  line("servers", status.servers.map(({ state, ids }) => `${state}: ${ids.join(", ")}`).join("; ") || "none");
  line("runs", runsText(status.runs));
  if (status.cost !== null) line("cost", costText(status.cost));
  line("library", `${status.library_count} saved`);
  const clients = status.clients.map(({ name, last_seen_at: at }) => `${name} (${agoOf(at)})`);
  line("clients", clients.join(", ") || "none seen in 30 days");
  for (const { at, who, tool, outcome } of status.calls)
    line("call", `${agoOf(at)}  ${who}  ${tool}  ${outcome}`);
}

function line(label: string, text: string): void {
  print(`${dim(label.padEnd(LABEL_WIDTH))} ${escapeUnprintable(text)}`);
}

function storeText({ place, replicas }: NonNullable<Status["store"]>): string {
  return `${place}, ${replicas === 0 ? "no gateway runs" : countOf(replicas, "gateway")}`;
}

function runsText({ buckets }: Status["runs"]): string {
  const sum = (bar: "succeeded" | "failed" | "waiting" | "running") =>
    buckets.reduce((total, bucket) => total + bucket[bar], 0);
  const parts = (["succeeded", "failed", "waiting", "running"] as const).map((bar) => `${sum(bar)} ${bar}`);
  return `${parts.join(", ")} in 24 hours`;
}

function costText({ listed_tokens: listed, all_tokens: all, mode }: NonNullable<Status["cost"]>): string {
  return `${withCommas(listed)} tokens in every conversation (${mode}); listing every tool: ${withCommas(all)}`;
}
