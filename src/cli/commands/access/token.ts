import { openTokens, type ShownToken, type TokenEntry, type Tokens } from "../../../app/app.ts";
import { locateConfig } from "../../../config/locate.ts";
import { PERMISSIONS, type Permission } from "../../../core/principal.ts";
import { fail, succeed, type ToolResult } from "../../../core/result.ts";
import { refuse } from "../../app-call.ts";
import { commandLine } from "../../command-line.ts";
import { EXIT } from "../../terminal/exit-code.ts";
import { collect, defineCommand } from "../../command.ts";
import type { DryRunOptions } from "../../dry-run.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { green, isDryRun, note, print, printJson, printTable } from "../../terminal/terminal.ts";

interface CreateOptions extends DryRunOptions {
  readonly scope: string;
  readonly profile?: readonly string[];
}

const NAME_ARGUMENT = { about: "the name of the token", completes: ["tokens"] } as const;

export const tokenCommand = defineCommand({
  name: "token",
  group: "access",
  summary: "Show the token that clients need over HTTP; create, list, revoke and rotate others",
  help: `The default token may do everything and is created when it is first needed. Create separate tokens for other people and
programs: they can have fewer scopes and can be revoked one by one. Such a token is shown once, when it is created.

Scopes:
  read     list and read           call    also needed to run tools and code
  write    change the library      admin   metrics and everything else`,
  examples: [
    "repertoire token",
    'claude mcp add --transport http repertoire http://127.0.0.1:7373/mcp --header "Authorization: Bearer $(repertoire token)"',
    "repertoire token create laptop --scope read,call",
    "repertoire token create bot --scope read,call --profile triage",
    "repertoire token list",
    "repertoire token revoke laptop",
    "repertoire token rotate",
  ],
  run: show,
  commands: [
    defineCommand({
      name: "list",
      summary: "List the tokens: name, scopes, profiles, creation time",
      run: list,
    }),
    defineCommand({
      name: "create",
      summary: "Create a token and show it once",
      arguments: [{ words: "<name>", about: "who or what it is for, such as laptop or ci" }],
      options: [
        {
          flags: "--scope <scopes>",
          about: `what it may do: some of ${PERMISSIONS.join(",")}`,
          default: "read,call",
        },
        {
          flags: "--profile <name>",
          about:
            "allow only this profile; repeatable. Without it, the token allows every profile and the whole gateway",
          parse: collect,
        },
      ],
      dryRun: "copy",
      run: (options: CreateOptions, name: string) => create(name, options),
    }),
    defineCommand({
      name: "revoke",
      summary: "Revoke a token at once, also for open connections",
      arguments: [{ words: "<name>", ...NAME_ARGUMENT }],
      dryRun: "copy",
      run: (options: GlobalOptions, name: string) => revoke(name, options),
    }),
    defineCommand({
      name: "rotate",
      summary: "Replace a token by a new one with the same scopes; the old one stops working at once",
      arguments: [{ words: "[name]", default: "default", ...NAME_ARGUMENT }],
      dryRun: "copy",
      run: (options: GlobalOptions, name: string) => rotate(name, options),
    }),
  ],
});

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
    note(`There are no tokens yet. Create the first with: ${commandLine(["token"], options)}`);
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
  if (name === "default") return `${commandLine(["token"], options)} shows it again.`;
  return "It is not shown again.";
}

function revoke(name: string, options: GlobalOptions): number {
  const revoked = tokensOf(options).revoke(name);
  if (!revoked.success) return refuse(revoked.error, options);
  if (options.json === true) printJson({ revoked: name });
  else note(`${green("revoked")} ${name}. Clients that use it are disconnected.`);
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
