type ReadInputs =
  | { readonly ok: true; readonly value: Record<string, unknown> }
  | { readonly ok: false; readonly message: string };

/** The inputs of a run as they were typed: a JSON object, or nothing. */
export function readInputs(text: string): ReadInputs {
  if (text.trim() === "") return { ok: true, value: {} };
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject
      ? { ok: true, value: value as Record<string, unknown> }
      : { ok: false, message: "Inputs are an object: { … }" };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : "This is not JSON." };
  }
}
