import type { Command } from "commander";
import { escapeUnprintable } from "../../../text/printable.ts";
import { succeed } from "../../../core/result.ts";
import { useApp } from "../../app-call.ts";
import { EXIT } from "../../terminal/exit-code.ts";
import type { Finish } from "../../program.ts";
import { globalOptionsOf } from "../../session.ts";
import { cyan, green, print, red } from "../../terminal/terminal.ts";

interface Difference {
  readonly equal: boolean;
  /** A unified diff; empty where both have the same source. */
  readonly source: string;
  readonly schemas: readonly string[];
}

export function addDiff(program: Command, finish: Finish): void {
  program
    .command("diff")
    .description("Compare two versions: their sources, then what they take and give")
    .argument("<before>", "name@1")
    .argument("<after>", "name@2")
    .addHelpText(
      "after",
      `
It exits with 0 when they are equal and with 1 when they differ.

Examples:
  $ repertoire diff math:sum@1 math:sum@2
  $ repertoire diff math:sum@1 math:sum`,
    )
    .action(async (before: string, after: string, _options: unknown, command: Command) => {
      finish(
        await useApp(
          globalOptionsOf(command),
          async (app) => {
            const compared = await app.compareVersions(before, after);
            return compared.success ? succeed(differenceOf(compared.data)) : compared;
          },
          { show, exitCodeOf: ({ equal }) => (equal ? EXIT.ok : EXIT.failed) },
        ),
      );
    });
}

function differenceOf({ source, schemas }: Omit<Difference, "equal">): Difference {
  return { equal: source === "" && schemas.length === 0, source, schemas };
}

function show({ source, schemas }: Difference): void {
  for (const line of source === "" ? [] : source.replace(/\n$/, "").split("\n")) print(paint(line));
  if (source !== "" && schemas.length > 0) print();
  for (const line of schemas) print(escapeUnprintable(line));
}

function paint(line: string): string {
  const text = line.split("\t").map(escapeUnprintable).join("\t");
  if (line.startsWith("@@")) return cyan(text);
  if (line.startsWith("+")) return green(text);
  return line.startsWith("-") ? red(text) : text;
}
