export type ParsedInputs =
  | { readonly ok: true; readonly inputs: Record<string, unknown> }
  | { readonly ok: false; readonly message: string };

/** Inputs as they are typed: a JSON object. */
export function parseInputs(text: string): ParsedInputs {
  try {
    const value: unknown = JSON.parse(text.trim() === "" ? "{}" : text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return { ok: true, inputs: value as Record<string, unknown> };
    }
    return { ok: false, message: "Inputs are a JSON object: names and their values." };
  } catch (error) {
    return { ok: false, message: `This is not JSON: ${(error as Error).message}.` };
  }
}
