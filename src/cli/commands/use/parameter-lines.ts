import type { Parameter } from "../../../operator/tools/parameters.ts";
import { escapeUnprintable } from "../../../text/printable.ts";
import { dim } from "../../terminal/terminal.ts";
import { wrapText } from "../../terminal/wrap-text.ts";

/** A line for each parameter, and its description below. */
export function parameterLines(parameters: readonly Parameter[], width: number): string[] {
  return parameters.flatMap(({ name, type, required, description, default: usual }) => {
    const marks = [
      ...(required ? ["required"] : []),
      ...(usual === undefined ? [] : [`default ${JSON.stringify(usual)}`]),
    ];
    const head = `${name}${required ? "" : "?"}: ${type}${marks.length === 0 ? "" : `  (${marks.join(", ")})`}`;
    const about = escapeUnprintable(description.replaceAll(/\s+/g, " ").trim());
    return [
      ...wrapText(escapeUnprintable(head), width, "  ", "      "),
      ...(about === "" ? [] : wrapText(about, width, "      ").map((line) => dim(line))),
    ];
  });
}
