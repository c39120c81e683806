/** What the editor can do: CodeMirror's parts, put together for TypeScript and JSON. */
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { javascript } from "@codemirror/lang-javascript";
import { json } from "@codemirror/lang-json";
import { bracketMatching, indentOnInput, indentUnit } from "@codemirror/language";
import { lintGutter, lintKeymap, type Diagnostic } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension, type Text } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { editorLook } from "./editor-look.ts";
import { typeOverSelection } from "./editor-typing.ts";
import { nameOf } from "./hidden-characters.ts";

/** Something wrong in a text; lines and columns count from 1. */
export interface CodeProblem {
  readonly message: string;
  readonly severity: "error" | "warning";
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  /** The text that is there; it is what is underlined. */
  readonly text?: string | undefined;
  readonly hint?: string | undefined;
}

export interface CodeCompletion {
  readonly label: string;
  /** Its icon: `function`, `property`, `namespace`, `keyword`, `variable`. */
  readonly type?: string;
  /** Beside the label: a signature. */
  readonly detail?: string;
  /** Below, when it is chosen. */
  readonly info?: string;
  /** What is written, where it is not the label. */
  readonly apply?: string;
  /** Where it begins, where it replaces more than the word: the dot before brackets. */
  readonly from?: number;
  /** Above 0 comes first. */
  readonly boost?: number;
}

export interface CompletionAnswer {
  /** Where the word begins that is completed. */
  readonly from: number;
  readonly options: readonly CodeCompletion[];
}

/** What can be written at a position; nothing where it does not know. */
export type CompleteCode = (
  text: string,
  position: number,
  isExplicit: boolean,
) => CompletionAnswer | undefined | Promise<CompletionAnswer | undefined>;

export interface EditorHooks {
  readonly onChange: (value: string) => void;
  readonly complete: CompleteCode;
  readonly onCursor: (position: number, text: string) => void;
  readonly onRun: () => boolean;
}

export interface EditorKind {
  readonly language: "typescript" | "json";
  readonly label: string;
  readonly readOnly: boolean;
}

export function extensionsOf({ language, label, readOnly }: EditorKind, hooks: EditorHooks): Extension[] {
  return [
    lineNumbers(),
    history(),
    drawSelection(),
    highlightSpecialChars({ render: drawHidden, addSpecialChars: /\p{Cf}/gu }),
    highlightActiveLine(),
    highlightSelectionMatches(),
    indentOnInput(),
    indentUnit.of("  "),
    bracketMatching(),
    closeBrackets(),
    typeOverSelection,
    search({ top: true }),
    lintGutter(),
    language === "json" ? json() : javascript({ typescript: true }),
    autocompletion({ override: [completionSource(hooks.complete)], icons: true }),
    // Before the others: Mod-Enter is a new line in the default ones.
    keymap.of([{ key: "Mod-Enter", run: hooks.onRun }]),
    keymap.of([
      ...closeBracketsKeymap,
      ...defaultKeymap,
      ...historyKeymap,
      ...searchKeymap,
      ...completionKeymap,
      ...lintKeymap,
      indentWithTab,
    ]),
    EditorView.contentAttributes.of({ "aria-label": label }),
    EditorState.readOnly.of(readOnly),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) hooks.onChange(update.state.doc.toString());
      if (update.docChanged || update.selectionSet)
        hooks.onCursor(update.state.selection.main.head, update.state.doc.toString());
    }),
    editorLook,
  ];
}

function completionSource(complete: CompleteCode) {
  return async (context: CompletionContext): Promise<CompletionResult | null> => {
    const answer = await complete(context.state.doc.toString(), context.pos, context.explicit);
    // The word may have changed while the answer was made.
    if (answer === undefined || context.aborted) return null;
    return { from: answer.from, options: answer.options.map(completionOf), validFor: /^[\w$]*$/ };
  };
}

function completionOf({ from: start, apply, ...option }: CodeCompletion): Completion {
  if (start === undefined) return { ...option, ...(apply !== undefined && { apply }) };
  const insert = apply ?? option.label;
  return {
    ...option,
    apply: (view, _, __, to) =>
      view.dispatch({ changes: { from: start, to, insert }, selection: { anchor: start + insert.length } }),
  };
}

function drawHidden(code: number): HTMLElement {
  const chip = document.createElement("span");
  chip.className = "cm-hidden-character";
  chip.textContent = nameOf(String.fromCodePoint(code));
  chip.title = "A character that does not show";
  return chip;
}

/** Problems as the editor draws them; one without a place is at the beginning. */
export function diagnosticsOf(doc: Text, problems: readonly CodeProblem[]): Diagnostic[] {
  return problems.map(({ message, severity, hint, ...place }) => ({
    ...rangeOf(doc, place),
    severity,
    message: hint === undefined ? message : `${message}\n${hint}`,
  }));
}

function rangeOf(
  doc: Text,
  { line = 1, column = 1, text = "" }: Pick<CodeProblem, "line" | "column" | "text">,
) {
  const { from: start, to: end } = doc.line(Math.max(1, Math.min(line, doc.lines)));
  const from = Math.min(end, start + Math.max(0, column - 1));
  const to = Math.min(end, from + Math.max(1, text.split("\n")[0]!.length));
  return { from, to };
}
