/** What is in the editor, kept for this tab of the browser: the text alone, not what it answered or was given. */
const KEY = "repertoire.code";

export function loadDraft(): string {
  try {
    return sessionStorage.getItem(KEY) ?? "";
  } catch {
    return "";
  }
}

/** A browser without storage, or one that is full, keeps none. */
export function keepDraft(text: string): void {
  try {
    if (text === "") sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, text);
  } catch {
    // The text is still in the editor.
  }
}
