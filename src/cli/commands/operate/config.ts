import { countOf } from "../../terminal/wording.ts";
import type { Config, ServerConfig } from "../../../config/config.ts";
import { describeConfig } from "../../../config/describe.ts";
import { readConfigText } from "../../../config/files/config-text.ts";
import { loadConfig, type LoadResult } from "../../../config/load.ts";
import { formatProblem, lackOnlyInputs, missingName, type ConfigProblem } from "../../../config/problem.ts";
import { loadConfigWithInputs } from "../../../secrets/inputs.ts";
import { EXIT } from "../../terminal/exit-code.ts";
import { defineCommand } from "../../command.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { green, note, print, printJson, red, tell, write, yellow } from "../../terminal/terminal.ts";

export const configCommand = defineCommand({
  name: "config",
  group: "operate",
  summary: "Find, check and document the config file",
  examples: [
    "repertoire config path",
    "repertoire config check --config ./repertoire.json",
    'repertoire config schema > repertoire.schema.json     then in the file: "$schema": "./repertoire.schema.json"',
  ],
  commands: [
    defineCommand({
      name: "path",
      summary: "Print which config file is used, and the home folder",
      run: showPath,
    }),
    defineCommand({
      name: "check",
      summary: "Report all problems of the config, and change nothing",
      run: check,
    }),
    defineCommand({
      name: "schema",
      summary: "Print the JSON Schema of the config file",
      run: showSchema,
    }),
  ],
});

async function showSchema(options: GlobalOptions): Promise<number> {
  const { formatJsonSchema } = await import("../../../config/json-schema.ts");
  if (options.json === true) printJson(JSON.parse(formatJsonSchema()));
  else write(formatJsonSchema());
  return EXIT.ok;
}

function showPath(options: GlobalOptions): number {
  const place = { configPath: options.config, home: options.home };
  const { location, files } = readConfigText(place);
  const { origin, home, candidates } = location;
  const found = files.map((file) => ({ ...file.origin, trusted: file.trusted }));
  if (options.json === true) {
    printJson({ config: origin.path ?? null, origin: origin.kind, files: found, candidates, home });
    return EXIT.ok;
  }
  for (const { path, kind, trusted } of found) {
    print(`config  ${path} (${ORIGINS[kind]}${trusted ? "" : ", not trusted: it has no effect"})`);
  }
  if (found.length === 0) print(`config  none (${ORIGINS.none})`);
  if (origin.kind === "none") for (const path of candidates) print(`        would be used: ${path}`);
  print(`home    ${home}`);
  return EXIT.ok;
}

const ORIGINS = {
  flag: "from --config",
  project: "of this project folder",
  user: "your own",
  none: "no file; the defaults are used",
} as const;

async function check(options: GlobalOptions): Promise<number> {
  const place = { configPath: options.config, home: options.home };
  // A project file that is not trusted has no effect, but its author wants to know what is wrong with it.
  const assumed = loadConfig({ ...place, assumeTrusted: true });
  const result = assumed.ok ? await loadConfigWithInputs(place) : assumed;
  if (options.json === true) {
    printJson(
      result.ok
        ? { ok: isSound(result), warnings: result.warnings, config: describeConfig(result.config) }
        : result,
    );
  } else if (result.ok) {
    showProblems(result.warnings, yellow("warning"));
    const { servers, origin } = result.config;
    const problems = problemsOfServers(result.config);
    showProblems(problems, red("error"));
    const mark = problems.length === 0 ? green("ok") : red("error");
    print(`${mark} ${origin.path ?? "no config file"}: ${countOf(servers.length, "server")}`);
    for (const server of servers) print(`  ${server.id}${stateOf(server)}`);
  } else {
    showProblems(result.problems, red("error"));
    note(`${countOf(result.problems.length, "problem")}; nothing was changed.`);
  }
  return isSound(result) ? EXIT.ok : EXIT.failed;
}

function isSound(result: LoadResult): boolean {
  return result.ok && problemsOfServers(result.config).length === 0;
}

/** What must be fixed; an input without a value is not a problem of the file. */
function problemsOfServers({ servers }: Config): ConfigProblem[] {
  return servers
    .flatMap(({ problems }) => problems)
    .filter((problem) => missingName(problem, "input") === undefined);
}

function showProblems(problems: readonly ConfigProblem[], label: string): void {
  for (const problem of problems) tell(`${label} ${formatProblem(problem)}`);
}

function stateOf({ enabled, trusted, problems, missingInputs }: ServerConfig): string {
  if (!enabled) return "  disabled";
  if (!trusted) return "  not trusted yet: repertoire trust";
  if (problems.length > 0 && !lackOnlyInputs(problems)) return "  not usable";
  return missingInputs.map((input) => `  needs an input: repertoire input set ${input}`).join("");
}
