import { escapeUnprintable } from "../../../text/printable.ts";
import type { ToolError } from "../../../core/errors.ts";
import { dim } from "../../terminal/terminal.ts";

export type Problems = NonNullable<ToolError["problems"]>;

/** One line for each problem, as compilers write it, and what to do about it below. */
export function problemLines(file: string, problems: Problems): string[] {
  return problems.flatMap(({ line, column, place, message, fix, ...inside }) => {
    const at = [file, line, column].filter((part) => part !== undefined && part !== "").join(":");
    const where =
      line === undefined && place !== "" && place !== undefined ? `${place}: ` : insideNode(inside);
    return [
      escapeUnprintable(`${at === "" ? "" : `${at}: `}${where}${message ?? ""}`),
      ...(fix === undefined || fix === "" ? [] : [dim(`  ${escapeUnprintable(String(fix))}`)]),
    ];
  });
}

/** In JSON a text of several lines is one line, so the place inside the text is told beside the place in the file. */
function insideNode({ node, code_line, code_column, in: source }: Problems[number]): string {
  const parts = [
    ...(node === undefined ? [] : [`node ${node}`]),
    ...(code_line === undefined ? [] : [`line ${code_line}, column ${code_column} of its code`]),
    ...(source === undefined ? [] : [`in ${source}`]),
  ];
  return parts.length === 0 ? "" : `${parts.join(", ")}: `;
}

/** The problems of a workflow that was refused, also where it is one that has no place. */
export function problemsOf({ problems, message, hint }: ToolError): Problems {
  return problems ?? [{ place: "", message, fix: hint ?? "" }];
}
