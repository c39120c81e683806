import { InvalidArgumentError } from "commander";
import { readLastUses, type ShownToken } from "../../../app/app.ts";
import { PERMISSIONS } from "../../../core/principal.ts";
import { fail, succeed, type ToolResult } from "../../../core/result.ts";
import { EFFECTS } from "../../../core/rule.ts";
import { viewEntry, viewNew } from "../../../operator/access/token-view.ts";
import { describeToken, NO_EFFECTS } from "../../../operator/access/tokens.ts";
import { refuse, useApp } from "../../app-call.ts";
import { commandLine } from "../../command-line.ts";
import { EXIT } from "../../terminal/exit-code.ts";
import { auditChange, storePlaceOf, useTokens } from "../../store-call.ts";
import { collect, defineCommand } from "../../command.ts";
import type { DryRunOptions } from "../../dry-run.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { parseMoment } from "../../../text/moment.ts";
import { green, isDryRun, note, print, printJson } from "../../terminal/terminal.ts";
import { limitsInWords, printToken, printTokens } from "./token-view.ts";

const NEVER = "never";
/** The last year that is written with four digits. */
const EXPIRES_AT_MAX = Date.UTC(9999, 11, 31);

interface ExpiryOptions extends DryRunOptions {
  /** ISO 8601, or `never`. */
  readonly expires?: string;
}

interface CreateOptions extends ExpiryOptions {
  readonly scope: string;
  readonly profile?: readonly string[];
  readonly effects?: string;
  readonly tools?: readonly string[];
}

const NAME_ARGUMENT = { about: "the name of the token", completes: ["tokens"] } as const;

const EXPIRES_ABOUT = "when it stops working: 30d or 12h from now, a date such as 2027-01-31, or never";

export const tokenCommand = defineCommand({
  name: "token",
  group: "access",
  summary: "Show the token that clients need over HTTP; create, list, show, revoke and rotate others",
  help: `The default token may do everything and is created when it is first needed. Create separate tokens for other people and
programs: they can have fewer scopes, limits and an end, and can be revoked one by one. Such a token is shown once,
when it is created.

Scopes:
  read     list and read           call    also needed to run tools and code
  write    change the library      admin   metrics and everything else

Effects, with --effects: read, write, destroy. A token with --effects read calls nothing that changes something, also
not through code, workflows and saved tools.`,
  examples: [
    "repertoire token",
    'claude mcp add --transport http repertoire http://127.0.0.1:7373/mcp --header "Authorization: Bearer $(repertoire token)"',
    "repertoire token create laptop --scope read,call",
    'repertoire token create bot --profile triage --effects read --tools "github__*" --expires 30d',
    "repertoire token show bot",
    "repertoire token list",
    "repertoire token revoke laptop",
    "repertoire token rotate",
  ],
  run: show,
  commands: [
    defineCommand({
      name: "list",
      summary: "List the tokens: scopes, limits, expiry, last use",
      run: list,
    }),
    defineCommand({
      name: "show",
      summary: "Show a token's limits and all that it can do: each tool, its effect and which rule decides",
      arguments: [{ words: "<name>", ...NAME_ARGUMENT }],
      run: (options: GlobalOptions, name: string) => showToken(name, options),
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
        {
          flags: "--effects <effects>",
          about: `what its calls may do to the world: some of ${EFFECTS.join(",")}. Without it, all`,
        },
        {
          flags: "--tools <pattern>",
          about: "allow only these tools, such as github__*; repeatable. Without it, all",
          parse: collect,
        },
        { flags: "--expires <when>", about: `${EXPIRES_ABOUT}. Without it, never`, parse: parseExpiry },
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
      summary:
        "Replace a token by a new one with the same scopes and limits; the old one stops working at once",
      arguments: [{ words: "[name]", default: "default", ...NAME_ARGUMENT }],
      options: [
        { flags: "--expires <when>", about: `${EXPIRES_ABOUT}. Without it, as before`, parse: parseExpiry },
      ],
      dryRun: "copy",
      run: (options: ExpiryOptions, name: string) => rotate(name, options),
    }),
  ],
});

async function show(options: GlobalOptions): Promise<number> {
  const shown = await useTokens(options, (tokens) => tokens.showDefault());
  if (shown.isNew) await auditChange(options, { action: "token.created", subject: shown.name });
  if (options.json === true) printJson(viewNew(shown));
  else print(shown.token);
  return EXIT.ok;
}

async function list(options: GlobalOptions): Promise<number> {
  const { entries, first } = await useTokens(options, async (tokens) => ({
    entries: await tokens.list(),
    first: tokens.hasDefault ? ["token"] : ["token", "create", "NAME"],
  }));
  const uses = await readLastUses(await storePlaceOf(options));
  if (options.json === true) printJson(entries.map((entry) => viewEntry(entry, uses)));
  else if (entries.length > 0) printTokens(entries, uses);
  else note(`There are no tokens yet. Create the first with: ${commandLine(first, options)}`);
  return EXIT.ok;
}

async function showToken(name: string, options: GlobalOptions): Promise<number> {
  const found = await useTokens(options, (tokens) => tokens.find(name));
  if (!found.success) return refuse(found.error, options);
  return useApp(options, async (app) => succeed(await describeToken(app, found.data)), {
    show: printToken,
  });
}

async function create(name: string, options: CreateOptions): Promise<number> {
  const permissions = parseWords(options.scope, PERMISSIONS, "scope");
  if (!permissions.success) return refuse(permissions.error, options);
  const effects = parseWords(options.effects ?? "", EFFECTS, "effects");
  if (!effects.success) return refuse(effects.error, options);
  if (options.effects !== undefined && effects.data.length === 0) return refuse(NO_EFFECTS.error, options);
  const { profile: profiles, tools, expires } = options;
  const limits = {
    profiles,
    effects: effects.data,
    tools,
    expiresAt: expires === NEVER ? undefined : expires,
  };
  const made = await useTokens(options, (tokens) => tokens.create(name, permissions.data, limits));
  return showNew(made, "created", options);
}

async function rotate(name: string, options: ExpiryOptions): Promise<number> {
  const expiresAt = options.expires === NEVER ? null : options.expires;
  const made = await useTokens(options, (tokens) => tokens.rotate(name, expiresAt));
  return showNew(made, "replaced", options);
}

async function showNew(
  made: ToolResult<ShownToken>,
  done: "created" | "replaced",
  options: GlobalOptions,
): Promise<number> {
  if (!made.success) return refuse(made.error, options);
  const { name, token } = made.data;
  await auditChange(options, {
    action: done === "created" ? "token.created" : "token.rotated",
    subject: name,
  });
  const what = `${green(done)} ${name} (${limitsInWords(made.data)})`;
  if (isDryRun()) {
    // The token of a dry run opens nothing.
    if (options.json === true) printJson({ ...viewNew(made.data), token: null });
    else note(what);
  } else if (options.json === true) printJson(viewNew(made.data));
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

async function revoke(name: string, options: GlobalOptions): Promise<number> {
  const revoked = await useTokens(options, (tokens) => tokens.revoke(name));
  if (!revoked.success) return refuse(revoked.error, options);
  await auditChange(options, { action: "token.revoked", subject: name });
  if (options.json === true) printJson({ revoked: name });
  else note(`${green("revoked")} ${name}. Clients that use it are disconnected.`);
  return EXIT.ok;
}

/** ISO 8601, or `never`. */
function parseExpiry(written: string, _before?: unknown, nowMs: number = Date.now()): string {
  if (written === NEVER) return NEVER;
  const at = parseMoment(written, 1, nowMs);
  if (at === undefined || at > EXPIRES_AT_MAX)
    throw new InvalidArgumentError("Give 30d or 12h, a date such as 2027-01-31, or never.");
  return new Date(at).toISOString();
}

/** Some of these words, in their order. */
function parseWords<W extends string>(text: string, known: readonly W[], field: string): ToolResult<W[]> {
  const words = text.split(/[\s,]+/).filter(Boolean);
  const unknown = words.find((word) => !known.some((one) => one === word));
  if (unknown === undefined) return succeed(known.filter((word) => words.includes(word)));
  return fail(
    "TOOL_INVALID_INPUT",
    `${JSON.stringify(unknown)} is not one of the ${field === "scope" ? "scopes" : field}.`,
    {
      field,
      hint: `Give some of ${known.join(", ")}, separated by commas.`,
    },
  );
}
