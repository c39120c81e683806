import { writeFile } from "node:fs/promises";
import { messageOf } from "../../../core/errors.ts";
import { EXIT } from "../../terminal/exit-code.ts";
import { beginDryRun, endDryRun, type DryRunOptions } from "../../dry-run.ts";
import { openSession } from "../../session.ts";
import { failWith, note, printJson, red, tell, write } from "../../terminal/terminal.ts";
import { defineCommand } from "../../command.ts";

interface TypesOptions extends DryRunOptions {
  readonly out?: string;
}

export const typesCommand = defineCommand({
  name: "types",
  group: "use",
  summary: "Write TypeScript declarations of your tools, for an editor",
  arguments: [{ words: "[server...]", about: "only these servers", completes: ["servers"] }],
  options: [
    { flags: "--out <file>", about: "write to this file instead of standard output", completes: ["files"] },
  ],
  dryRun: "own",
  examples: ["repertoire types --out mcp.d.ts", "repertoire types github files"],
  run: (options: TypesOptions, servers: string[]) => types(servers, options),
});

async function types(servers: readonly string[], options: TypesOptions): Promise<number> {
  const session = await openSession(options);
  try {
    const { text, toolCount, missing } = await session.app.declareTools(servers);
    for (const { server, reason } of missing) tell(`${red("missing")} ${server}: ${reason}`);
    const exitCode = exitCodeOf(missing);
    if (options.out === undefined) {
      if (options.json === true) printJson({ declarations: text, toolCount, missing });
      else write(text);
      return exitCode;
    }
    if (options.dryRun === true) {
      beginDryRun();
      return endDryRun(done(options, toolCount, missing, exitCode));
    }
    return (await writeOut(options.out, text)) ? done(options, toolCount, missing, exitCode) : EXIT.failed;
  } finally {
    await session.close();
  }
}

function exitCodeOf(missing: readonly { readonly isUnknown?: true }[]): number {
  if (missing.some(({ isUnknown }) => isUnknown)) return EXIT.notFound;
  return missing.length > 0 ? EXIT.unreachable : EXIT.ok;
}

async function writeOut(file: string, text: string): Promise<boolean> {
  try {
    await writeFile(file, text);
    return true;
  } catch (error) {
    failWith(EXIT.failed, `Cannot write the file: ${messageOf(error)}`);
    return false;
  }
}

function done(
  options: TypesOptions,
  toolCount: number,
  missing: readonly unknown[],
  exitCode: number,
): number {
  if (options.json === true) printJson({ file: options.out, toolCount, missing });
  else note(`${options.out}: ${toolCount} tools`);
  return exitCode;
}
