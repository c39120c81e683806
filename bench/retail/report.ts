/** The figures as tables. */
import type { KillFigures } from "./kills.ts";
import type { RetailFigures } from "./run.ts";
import type { TokenFigures, WayCost } from "./tokens.ts";

export function reportOf({ tasks, actions, tokens, kills, ...equal }: RetailFigures): string {
  return [
    `${tasks} tasks, ${actions} actions`,
    `  final database as after direct calls: script ${equal.scriptEqual} of ${tasks}, kept tool ${equal.keptEqual} of ${tasks}`,
    `  kept tool with the script's result: ${equal.keptSameResult} of ${tasks}`,
    "",
    ...tokenLines(tokens, tasks),
    ...(kills === undefined ? [] : ["", ...killLines(kills)]),
  ].join("\n");
}

function tokenLines({ keepingTokens, ...ways }: TokenFigures, tasks: number): string[] {
  const head = ["tokens (o200k)", "listed", "once", "ratio", "billed", "ratio", "requests", "dearer"];
  const named: [string, WayCost][] = [
    ["direct", ways.direct],
    ["script, with its search", ways.script],
    ["script, tools listed", ways.scriptListed],
    ["script alone", ways.scriptAlone],
    ["kept tool", ways.kept],
  ];
  const rows = named.map(([name, cost]) => [
    name,
    String(cost.start),
    String(cost.context),
    cost.contextRatio.toFixed(3),
    String(cost.billed),
    cost.billedRatio.toFixed(3),
    String(cost.requests),
    `${cost.dearerTasks} of ${tasks}`,
  ]);
  return [
    ...[head, ...rows].map(
      ([name, ...cells]) => `${name!.padEnd(26)}${cells.map((cell) => cell.padStart(11)).join("")}`,
    ),
    `to keep a script: ${keepingTokens} tokens, once`,
  ];
}

function killLines(kills: KillFigures): string[] {
  const of = ({ whole, kills: count }: { whole: number; kills: number }) => `${whole} of ${count}`;
  return [
    `kill -9 and resume: ${kills.wholeActions} of ${kills.actions} actions, ${of(kills)} kills ` +
      `(before ${of(kills.before)}, after ${of(kills.after)})`,
    `  final database equal ${kills.equalDatabases}, result equal ${kills.equalResults} of ${kills.kills}`,
    `  effects repeated ${kills.repeated}, lost ${kills.lost}`,
    `  asked about a call whose outcome is unknown: ${kills.uncertainStops}, of ${kills.writeKills} kills at a write`,
    `  mean time to the result on the new gateway: ${kills.meanResumeMs.toFixed(0)} ms`,
    ...kills.changed.map((end) => `  CHANGED ${JSON.stringify(end)}`),
    ...kills.failed.map(
      ({ taskId, call, moment, message }) => `  FAILED task ${taskId}, ${moment} ${call}: ${message}`,
    ),
  ];
}
