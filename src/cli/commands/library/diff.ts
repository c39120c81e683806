import type { GlobalOptions } from "../../global-options.ts";
import { escapeUnprintable } from "../../../text/printable.ts";
import { succeed } from "../../../core/result.ts";
import { useApp } from "../../app-call.ts";
import { EXIT } from "../../terminal/exit-code.ts";
import { cyan, green, print, red } from "../../terminal/terminal.ts";
import { defineCommand } from "../../command.ts";

interface Difference {
  readonly equal: boolean;
  /** A unified diff; empty where both have the same source. */
  readonly source: string;
  readonly schemas: readonly string[];
}

export const diffCommand = defineCommand({
  name: "diff",
  group: "library",
  summary: "Compare two versions: the source, then the input and output schemas",
  arguments: [
    { words: "<before>", about: "name@1", completes: ["kept"] },
    { words: "<after>", about: "name@2", completes: ["kept"] },
  ],
  help: `The exit code is 0 if they are equal and 1 if they differ.`,
  examples: ["repertoire diff math:sum@1 math:sum@2", "repertoire diff math:sum@1 math:sum"],
  run: (options: GlobalOptions, before: string, after: string) =>
    useApp(
      options,
      async (app) => {
        const compared = await app.compareVersions(before, after);
        return compared.success ? succeed(differenceOf(compared.data)) : compared;
      },
      { show, exitCodeOf: ({ equal }) => (equal ? EXIT.ok : EXIT.failed) },
    ),
});

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
