/**
 * A capability as a skill: the `SKILL.md` that says what it is for and how it is called.
 *
 * One version is always the same bytes, because a host binds what a person approved to their digest. Nothing in it is
 * of the moment: no counts, no times, nothing of the config. Descriptions come from whoever saved the capability, so
 * they are a quoted scalar in the frontmatter and a quotation below it, and can end neither.
 */
import type { JsonObject } from "../../core/json.ts";
import { codeNameOf, displayNameOf, skillNameOf, toolNameOf } from "../../core/names.ts";
import type { CapabilityExample, CapabilityVersion, ToolUse } from "../../core/store.ts";
import { cut, cutToBytes } from "../../text/cut.ts";
import { fenced } from "../../text/markdown/fence.ts";
import type { Redactor } from "../../text/redaction.ts";
import { accessTo } from "../../text/type-text.ts";
import { makeVisible } from "../../text/visible-text.ts";
import type { CapabilityDetails } from "../library.ts";

/** As the format of skills has it. */
const DESCRIPTION_LENGTH_MAX = 1024;
/** Of one value of an example: it shows the shape, and the whole of it is in the library. */
const VALUE_BYTES_MAX = 4 * 1024;
/** More names than anybody reads; the page of the library has them all. */
const TOOLS_SHOWN_MAX = 50;

export interface ShownCapability extends Pick<CapabilityDetails, "capability" | "version"> {
  readonly example: CapabilityExample | undefined;
  /** What clients call it by, where a profile has another name for it. */
  readonly tool?: string;
  /** What it is described as, where that is not its own word. */
  readonly description?: string | undefined;
}

/** What hosts show of a skill before they load it. All values are texts. */
export interface SkillFrontmatter {
  readonly name: string;
  readonly description: string;
  readonly metadata: { readonly version: string };
}

export function frontmatterOf(
  { capability, version, description }: ShownCapability,
  redactor: Pick<Redactor, "text">,
): SkillFrontmatter {
  const said = makeVisible(redactor.text(description ?? capability.description)).trim();
  return {
    name: skillNameOf(capability),
    description: cut(said === "" ? `Runs ${displayNameOf(capability)}.` : said, DESCRIPTION_LENGTH_MAX),
    metadata: { version: String(version.version) },
  };
}

export function skillTextOf(shown: ShownCapability, frontmatter: SkillFrontmatter): string {
  const { capability, version, example } = shown;
  const blocks = [
    `# ${displayNameOf(capability)}`,
    quoted(frontmatter.description),
    callBlock(shown),
    schemaBlock("Input", "The arguments are one object, by this JSON Schema:", version.inputSchema),
    version.outputSchema === null
      ? ""
      : schemaBlock("Output", "The result, as it was seen when this was kept:", version.outputSchema),
    example === undefined ? "" : exampleBlock(example),
    usesBlock(version),
  ];
  return `${headOf(frontmatter)}\n${blocks.filter((block) => block !== "").join("\n\n")}\n`;
}

/** JSON is YAML: a text in it is one scalar on one line, whatever it has in it. */
function headOf({ name, description, metadata }: SkillFrontmatter): string {
  const lines = [
    `name: ${name}`,
    `description: ${JSON.stringify(description)}`,
    `metadata: ${JSON.stringify(metadata)}`,
  ];
  return `---\n${lines.join("\n")}\n---\n`;
}

function quoted(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => `> ${line}`.trimEnd())
    .join("\n");
}

function callBlock({ capability, tool = toolNameOf(capability), example }: ShownCapability): string {
  const { namespace, tool: action } = codeNameOf(toolNameOf(capability));
  const args = example === undefined ? "{ /* the input */ }" : jsonOf(example.inputs);
  const code = `return await mcp${accessTo(namespace)}${accessTo(action)}(${args});`;
  return [
    "## How to call it",
    `Call the tool \`${tool}\` with the input as its arguments. In code for the tool \`execute\`:`,
    fenced("ts", code),
  ].join("\n\n");
}

function schemaBlock(title: string, words: string, schema: JsonObject): string {
  return [`## ${title}`, words, fenced("json", makeVisible(JSON.stringify(schema, null, 2)))].join("\n\n");
}

function exampleBlock({ inputs, result }: CapabilityExample): string {
  return [
    "## Example",
    "A run that worked. Its secrets are left out. The input:",
    fenced("json", jsonOf(inputs)),
    "The result:",
    fenced("json", jsonOf(result)),
  ].join("\n\n");
}

function usesBlock({ toolsUsed }: CapabilityVersion): string {
  const words =
    "What it does to the world is what these tools do; each says so itself, as it was when this was kept.";
  if (toolsUsed.length === 0) return "## Tools that it uses\n\nNone: it computes from its input alone.";
  const shown = toolsUsed.slice(0, TOOLS_SHOWN_MAX).map((use) => `- \`${use.tool}\`: ${effectWords(use)}`);
  const left = toolsUsed.length - shown.length;
  return [
    "## Tools that it uses",
    words,
    [...shown, ...(left > 0 ? [`- and ${left} more`] : [])].join("\n"),
  ].join("\n\n");
}

/** Without a word a tool may destroy, as the protocol has it. */
function effectWords({ definition }: ToolUse): string {
  const { readOnlyHint, destructiveHint } = (definition?.["annotations"] ?? {}) as JsonObject;
  if (readOnlyHint === true) return "reads";
  return destructiveHint === false ? "writes" : "may change or delete something";
}

function jsonOf(value: unknown): string {
  const text = makeVisible(JSON.stringify(value, null, 2) ?? "null");
  const shown = cutToBytes(text, VALUE_BYTES_MAX);
  return shown === text ? text : `${shown}\n… and more`;
}
