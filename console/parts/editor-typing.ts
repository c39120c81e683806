/**
 * Typing over a selection. A browser that does it itself gives what is typed the look of what was there, with a style attribute, which
 * the policy of the page forbids; so the text is put in here, past the page.
 */
import { EditorView } from "@codemirror/view";

export const typeOverSelection = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { from, to, empty } = view.state.selection.main;
    const isTyped = event.inputType === "insertText" && !event.isComposing;
    if (!isTyped || event.data === null || empty || view.state.readOnly) return false;
    event.preventDefault();
    typeText(view, from, to, event.data);
    return true;
  },
});

/** As CodeMirror does it: what hears of typing, such as closing brackets, comes first. */
function typeText(view: EditorView, from: number, to: number, text: string): void {
  const insert = () =>
    view.state.update(view.state.replaceSelection(text), { userEvent: "input.type", scrollIntoView: true });
  const handlers = view.state.facet(EditorView.inputHandler);
  if (!handlers.some((handle) => handle(view, from, to, text, insert))) view.dispatch(insert());
}
