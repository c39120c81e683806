/**
 * CodeMirror in a shadow root. There its styles become adopted style sheets; in the page it would insert a <style> element, which the
 * policy of the page forbids.
 */
import { setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { useEffect, useRef, type ReactNode } from "react";
import { cx } from "./class-names.ts";
import type { CodeEditorProps } from "./code-editor.tsx";
import { diagnosticsOf, extensionsOf } from "./editor-setup.ts";

const LINE_PX = 20;
const NO_PROBLEMS: readonly never[] = [];

export function EditorFrame(props: CodeEditorProps): ReactNode {
  const {
    value,
    problems = NO_PROBLEMS,
    language,
    label,
    readOnly = false,
    minLines = 3,
    maxLines,
    className,
  } = props;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const current = useRef(props);
  useEffect(() => {
    current.current = props;
  });

  useEffect(() => {
    const made = openEditor(host.current!, { language, label, readOnly }, current);
    view.current = made;
    return () => made.destroy();
  }, [language, label, readOnly]);

  // What the screen sets, as opposed to what was typed.
  useEffect(() => {
    const doc = view.current?.state.doc;
    if (doc === undefined || doc.toString() === value) return;
    view.current?.dispatch({ changes: { from: 0, to: doc.length, insert: value } });
  }, [value, language, label, readOnly]);

  useEffect(() => {
    const shown = view.current;
    if (shown !== undefined)
      shown.dispatch(setDiagnostics(shown.state, diagnosticsOf(shown.state.doc, problems)));
  }, [problems, language, label, readOnly]);

  return (
    <div
      ref={host}
      style={{
        minHeight: `${minLines * LINE_PX + 10}px`,
        ...(maxLines !== undefined && { maxHeight: `${maxLines * LINE_PX + 10}px` }),
      }}
      className={cx(
        "flex min-w-0 flex-col overflow-hidden rounded-md border border-field bg-code-bg focus-within:border-accent focus-within:ring-1 focus-within:ring-accent",
        maxLines === undefined && "min-h-0",
        className,
      )}
    />
  );
}

interface Kind {
  readonly language: "typescript" | "json";
  readonly label: string;
  readonly readOnly: boolean;
}

function openEditor(
  host: HTMLElement,
  kind: Kind,
  current: { readonly current: CodeEditorProps },
): EditorView {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  const extensions = extensionsOf(kind, {
    onChange: (text) => current.current.onChange?.(text),
    complete: (text, position, isExplicit) => current.current.complete?.(text, position, isExplicit),
    onCursor: (position, text) => current.current.onCursor?.(position, text),
    onRun: () => {
      current.current.onRun?.();
      return current.current.onRun !== undefined;
    },
  });
  const made = new EditorView({
    state: EditorState.create({ doc: current.current.value, extensions }),
    root,
    parent: root,
  });
  // The frame is a column: the editor takes its height, and scrolls inside.
  made.dom.style.flex = "1 1 auto";
  made.dom.style.minHeight = "0";
  return made;
}
