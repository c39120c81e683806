const BYTE_ORDER_MARK = "\uFEFF";

/** The outcome of an edit: the new text, or why there is none. */
export type TextEdit =
  | { readonly kind: "changed"; readonly text: string }
  | { readonly kind: "unchanged" }
  | { readonly kind: "refused"; readonly message: string };

/** Edits a text without its byte order mark, and gives it back after. */
export function editBehindMark(text: string, edit: (body: string) => TextEdit): TextEdit {
  if (!text.startsWith(BYTE_ORDER_MARK)) return edit(text);
  const edited = edit(text.slice(1));
  return edited.kind === "changed" ? { ...edited, text: BYTE_ORDER_MARK + edited.text } : edited;
}
