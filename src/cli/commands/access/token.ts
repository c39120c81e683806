import type { Command } from "commander";
import { openTokens, type ShownToken, type TokenEntry, type Tokens } from "../../../app/app.ts";
import { locateConfig } from "../../../config/locate.ts";
import { PERMISSIONS, type Permission } from "../../../core/principal.ts";
import { fail, succeed, type ToolResult } from "../../../core/result.ts";
import { refuse } from "../../app-call.ts";
import { commandLine } from "../../command-line.ts";
import { EXIT } from "../../terminal/exit-code.ts";
import type { Finish } from "../../program.ts";
import { runOnCopy, withDryRun, type DryRunOptions } from "../../dry-run.ts";
import { globalOptionsOf, type GlobalOptions } from "../../session.ts";
import { green, isDryRun, note, print, printJson, printTable } from "../../terminal/terminal.ts";

interface CreateOptions extends DryRunOptions {
  readonly scope: string;
  readonly profile?: readonly string[];
}

const USUAL_SCOPE = "read,call";

export function addToken(program: Command, finish: Finish): void {
  const token = program
    .command("token")
    .description("Show the token that clients need over HTTP; make, list, revoke and replace others")
    .addHelpText(
      "after",
      `
The default token may do everything and is made when it is first needed. Give other people and programs one of their own:
it can do less, and it can be taken back alone. Such a token is shown once, when it is made.

Scopes:
  read     list and read           call    also needed to run tools and code
  write    change the library      admin   metrics and everything else

Examples:
  $ repertoire token
  $ claude mcp add --transport http repertoire http://127.0.0.1:7373/mcp --header "Authorization: Bearer $(repertoire token)"
  $ repertoire token create laptop --scope read,call
  $ repertoire token create bot --scope read,call --profile triage
  $ repertoire token list
  $ repertoire token revoke laptop
  $ repertoire token rotate`,
    )
    .action((_options: unknown, command: Command) => finish(show(globalOptionsOf(command))));
  token
    .command("list")
    .description("List the tokens: name, scopes, profiles, when they were made")
    .action((_options: unknown, command: Command) => finish(list(globalOptionsOf(command))));
  withDryRun(token.command("create"))
    .description("Make a token and show it, once")
    .argument("<name>", "who or what it is for, such as laptop or ci")
    .option("--scope <scopes>", `what it may do: some of ${PERMISSIONS.join(",")}`, USUAL_SCOPE)
    .option(
      "--profile <name>",
      "open only this profile; may be given several times. Without it, every profile and the whole gateway",
      (name: string, given: readonly string[] | undefined) => [...(given ?? []), name],
    )
    .action(async (name: string, _options: unknown, command: Command) => {
      const options = { ...globalOptionsOf(command), ...command.opts<CreateOptions>() };
      finish(await runOnCopy(options, (chosen) => create(name, chosen)));
    });
  withDryRun(token.command("revoke"))
    .description("End a token at once, also for connections that are open")
    .argument("<name>", "the name of the token")
    .action(async (name: string, _options: unknown, command: Command) => {
      finish(await runOnCopy(globalOptionsOf<DryRunOptions>(command), (options) => revoke(name, options)));
    });
  withDryRun(token.command("rotate"))
    .description("Replace a token by a new one with the same scopes; the old one ends at once")
    .argument("[name]", "the name of the token", "default")
    .action(async (name: string, _options: unknown, command: Command) => {
      finish(await runOnCopy(globalOptionsOf<DryRunOptions>(command), (options) => rotate(name, options)));
    });
}

function tokensOf(options: GlobalOptions): Tokens {
  return openTokens(locateConfig({ configPath: options.config, home: options.home }).home);
}

function show(options: GlobalOptions): number {
  const shown = tokensOf(options).showDefault();
  if (options.json === true) printJson(viewOf(shown));
  else print(shown.token);
  return EXIT.ok;
}

function list(options: GlobalOptions): number {
  const entries = tokensOf(options).list();
  if (options.json === true) printJson(entries.map(describe));
  else if (entries.length === 0) {
    note(`There are no tokens yet. Make the first with: ${commandLine(["token"], options)}`);
  } else {
    const rows = entries.map(({ name, permissions, profiles, createdAt }) => [
      name,
      permissions.join(","),
      profiles?.join(",") ?? "all",
      createdAt,
    ]);
    printTable([["TOKEN", "SCOPES", "PROFILES", "CREATED"], ...rows]);
  }
  return EXIT.ok;
}

function create(name: string, options: CreateOptions): number {
  const permissions = parseScopes(options.scope);
  if (!permissions.success) return refuse(permissions.error, options);
  return showNew(tokensOf(options).create(name, permissions.data, options.profile), "created", options);
}

function rotate(name: string, options: GlobalOptions): number {
  return showNew(tokensOf(options).rotate(name), "replaced", options);
}

function showNew(made: ToolResult<ShownToken>, done: string, options: GlobalOptions): number {
  if (!made.success) return refuse(made.error, options);
  const { name, permissions, profiles, token } = made.data;
  const limit = profiles === undefined ? "" : `; only the profiles ${profiles.join(", ")}`;
  const what = `${green(done)} ${name} (${permissions.join(", ")}${limit})`;
  if (isDryRun()) {
    // The token of a dry run opens nothing.
    if (options.json === true) printJson({ ...viewOf(made.data), token: null });
    else note(what);
  } else if (options.json === true) printJson(viewOf(made.data));
  else {
    note(`${what}. ${adviceOn(name, options)}`);
    print(token);
  }
  return EXIT.ok;
}

function adviceOn(name: string, options: GlobalOptions): string {
  if (name === "default") return `${commandLine(["token"], options)} shows it again:`;
  return "It is not shown again:";
}

function revoke(name: string, options: GlobalOptions): number {
  const revoked = tokensOf(options).revoke(name);
  if (!revoked.success) return refuse(revoked.error, options);
  if (options.json === true) printJson({ revoked: name });
  else note(`${green("revoked")} ${name}: whoever uses it is out.`);
  return EXIT.ok;
}

function parseScopes(text: string): ToolResult<Permission[]> {
  const words = text.split(/[\s,]+/).filter(Boolean);
  const unknown = words.find((word) => !PERMISSIONS.some((permission) => permission === word));
  if (unknown === undefined) return succeed(PERMISSIONS.filter((permission) => words.includes(permission)));
  return fail("TOOL_INVALID_INPUT", `${JSON.stringify(unknown)} is not a scope.`, {
    field: "scope",
    hint: `Give some of ${PERMISSIONS.join(", ")}, separated by commas.`,
  });
}

/** Without `profiles`, a token opens every one. */
function viewOf({ name, permissions, profiles, token }: ShownToken) {
  return { name, scopes: permissions, ...(profiles !== undefined && { profiles }), token };
}

function describe({ name, permissions, profiles, createdAt }: TokenEntry) {
  return { name, scopes: permissions, ...(profiles !== undefined && { profiles }), created_at: createdAt };
}
