/** What a run is called in a list, where neither an intent nor a name says it: the first words of what ran. */
import { isJsonObject, parseJson, type JsonObject } from "../core/json.ts";
import type { Run } from "../core/store.ts";
import { cut } from "../text/cut.ts";

const TITLE_LENGTH_MAX = 120;
/** Lines that every program begins with, and that say nothing of this one. */
const SAYS_NOTHING = /^(?:import\b|export \{|["']use strict["'];?$|[{}()[\];]*$|@)/;

export function titleOf({ kind, source }: Pick<Run, "kind" | "source">): string | undefined {
  if (source === null) return undefined;
  const title = kind === "workflow" ? workflowTitleOf(source) : codeTitleOf(source);
  if (title === undefined || title === "") return undefined;
  return cut(title, TITLE_LENGTH_MAX);
}

/** A comment at the top is what its author says of it; else the first line that does something. */
function codeTitleOf(source: string): string | undefined {
  return source
    .split("\n")
    .map((line) =>
      line
        .trim()
        .replace(/^(?:\/\*+|\*+\/|\*|\/\/+)\s*|\s*\*+\/$/g, "")
        .trim(),
    )
    .find((line) => !SAYS_NOTHING.test(line));
}

/** What it says of itself, or its nodes. */
function workflowTitleOf(source: string): string | undefined {
  const parsed = parseJson(source);
  if (!parsed.ok || !isJsonObject(parsed.value)) return undefined;
  const { description, nodes } = parsed.value;
  if (typeof description === "string" && description !== "") return description.split("\n", 1)[0];
  const ids = (Array.isArray(nodes) ? nodes : []).flatMap((node) => idOf(node as JsonObject));
  return ids.join(", ");
}

function idOf(node: JsonObject): string[] {
  return isJsonObject(node) && typeof node["id"] === "string" ? [node["id"]] : [];
}
