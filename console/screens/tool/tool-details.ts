import type { Answer } from "../../api/client.ts";

export type ToolDetails = Answer<"getTool">;
export type Decision = NonNullable<ToolDetails["decision"]>;

/** What a call does: as the rules see it; of our own meta-tools, as they say themselves. */
export function effectOf({
  kind,
  decision,
  annotations,
}: Pick<ToolDetails, "kind" | "decision" | "annotations">): string | undefined {
  if (decision !== null) return decision.effect;
  return kind === "meta_tool" && annotations?.["readOnlyHint"] === true ? "read" : undefined;
}

/** The name without the server, which is shown before it. */
export function ownNameOf({ name, server }: Pick<ToolDetails, "name" | "server">): string {
  return server !== undefined && name.startsWith(`${server}.`) ? name.slice(server.length + 1) : name;
}

/** The gateway writes hidden characters of texts as `\u{200b}`; as characters again, they are shown as chips. */
export function excerptText(excerpt: string): string {
  return excerpt.replaceAll(/\\u\{([\da-f]{1,6})\}/gi, (written, code: string) => {
    const point = Number.parseInt(code, 16);
    return point > 0x10ffff ? written : String.fromCodePoint(point);
  });
}

/** What the server says of its tool, in words; hints that say nothing are left out. */
export function annotationTexts(
  annotations: ToolDetails["annotations"],
): readonly { readonly name: string; readonly text: string }[] {
  return Object.entries(annotations ?? {}).map(([name, value]) => ({
    name,
    text: MEANINGS[name]?.[String(value)] ?? (typeof value === "string" ? value : JSON.stringify(value)),
  }));
}

const MEANINGS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  readOnlyHint: { true: "It only reads", false: "It changes something" },
  destructiveHint: { true: "It may destroy something", false: "It destroys nothing" },
  idempotentHint: { true: "Calling it twice does no harm", false: "Calling it twice does it twice" },
  openWorldHint: { true: "It reaches out to the world", false: "It stays inside of its own system" },
};
