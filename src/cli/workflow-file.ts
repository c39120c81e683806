import { escapeUnprintable } from "../core/printable.ts";
import type { ToolError } from "../core/errors.ts";
import { dim } from "./terminal.ts";

export type Problems = NonNullable<ToolError["problems"]>;

/** One line for each problem, as compilers write it, and what to do about it below. */
export function problemLines(file: string, problems: Problems): string[] {
  return problems.flatMap(({ line, column, place, message, fix }) => {
    const at = [file, line, column].filter((part) => part !== undefined && part !== "").join(":");
    const where = line === undefined && place !== "" && place !== undefined ? `${place}: ` : "";
    return [
      escapeUnprintable(`${at === "" ? "" : `${at}: `}${where}${message ?? ""}`),
      ...(fix === undefined || fix === "" ? [] : [dim(`  ${escapeUnprintable(String(fix))}`)]),
    ];
  });
}

/** The problems of a workflow that was refused, also where it is one that has no place. */
export function problemsOf({ problems, message, hint }: ToolError): Problems {
  return problems ?? [{ place: "", message, fix: hint ?? "" }];
}
