import type { ConfigInput } from "../../config/config.ts";
import { escapeUnprintable } from "../../text/printable.ts";

/** Far more than any key or certificate has; a file that was meant for something else is noticed. */
export const VALUE_BYTES_MAX = 64 * 1024;

/** Why a text cannot be the value of an input, to be said after its id; the text itself is not repeated. */
export function findValueProblem(value: string, input: ConfigInput | undefined): string | undefined {
  if (value === "") return "must not be empty";
  if (Buffer.byteLength(value) > VALUE_BYTES_MAX) return `has more than ${VALUE_BYTES_MAX} bytes`;
  if (value.includes("\0")) return "must not contain a NUL character";
  const options = input?.type === "pickString" ? input.options : undefined;
  if (options === undefined || options.some((option) => option.value === value)) return undefined;
  return `must be one of ${options.map((option) => escapeUnprintable(option.value)).join(", ")}`;
}
