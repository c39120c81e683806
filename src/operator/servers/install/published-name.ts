/** What a person writes to add a server by its name: `io.github.acme/notes`, or `io.github.acme/notes@1.2.0`. */
import { fail, succeed, type ToolResult } from "../../../core/result.ts";
import { plainLettersOf } from "../../../published/lookalike.ts";
import { SERVER_NAME, VERSION } from "../../../published/server-json.ts";
import { quote } from "../../../text/quote.ts";

export interface PublishedName {
  readonly name: string;
  readonly version?: string;
}

/** A namespace with a dot, a slash, a name: in any letters, so that a name in the wrong ones is told as that. */
const FORM = /^[^\s/@:\\]+[.․。][^\s/@:\\]+[/⁄∕][^\s/@\\]+(?:@[^\s/@]+)?$/u;

export function isPublishedName(text: string): boolean {
  return FORM.test(text) && !/^[.~]/.test(text) && !/\.mcpb$/i.test(text);
}

export function readPublishedName(text: string): ToolResult<PublishedName> {
  const at = text.indexOf("@");
  const [name, version] = at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
  if (!SERVER_NAME.test(name)) return badName(name);
  if (version === undefined || version === "latest") return succeed({ name });
  if (VERSION.test(version)) return succeed({ name, version });
  return fail("TOOL_INVALID_INPUT", `${quote(version)} is not exactly one version.`, {
    field: "name",
    hint: `Write it as ${name}@1.2.3, or ${name} for the newest.`,
  });
}

function badName(name: string): ToolResult<never> {
  const odd = [...new Set(name.match(/[^\p{ASCII}]/gu) ?? [])].map(codeOf);
  const plain = plainLettersOf(name);
  const isMeant = odd.length > 0 && SERVER_NAME.test(plain);
  const why =
    odd.length === 0
      ? ""
      : `: it has ${odd.slice(0, ODD_SHOWN_MAX).join(", ")}, and only looks like ${quote(plain)}`;
  return fail("SECURITY_ERROR", `${quote(name)} is no name of a published server${isMeant ? why : ""}.`, {
    reason: "lookalike",
    field: "name",
    hint: "A name has the letters a-z, digits, dots and hyphens, and one slash: io.github.acme/notes.",
  });
}

/** More characters of a name are not shown. */
const ODD_SHOWN_MAX = 5;

function codeOf(char: string): string {
  return `U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
}
