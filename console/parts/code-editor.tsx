import { lazy, Suspense, type ReactNode } from "react";
import type { CodeProblem, CompleteCode } from "./editor-setup.ts";

export type { CodeCompletion, CodeProblem, CompleteCode, CompletionAnswer } from "./editor-setup.ts";

export interface CodeEditorProps {
  readonly value: string;
  readonly onChange?: (value: string) => void;
  readonly language: "typescript" | "json";
  /** What is written here, for screen readers. */
  readonly label: string;
  /** Drawn under the text and beside the lines. */
  readonly problems?: readonly CodeProblem[];
  readonly complete?: CompleteCode;
  /** The cursor has moved, or the text around it has changed. */
  readonly onCursor?: (position: number, text: string) => void;
  /** Mod-Enter. */
  readonly onRun?: () => void;
  readonly readOnly?: boolean;
  readonly minLines?: number;
  /** More lines scroll inside; without it, the editor has the height of its frame. */
  readonly maxLines?: number;
  readonly className?: string;
}

const Editor = lazy(async () => ({ default: (await import("./editor-frame.tsx")).EditorFrame }));

/** An editor for TypeScript or JSON; it is loaded when it is first shown. Tab moves on after Esc. */
export function CodeEditor(props: CodeEditorProps): ReactNode {
  return (
    <Suspense fallback={<EditorFallback {...props} />}>
      <Editor {...props} />
    </Suspense>
  );
}

/** The text is there before the editor is, with the same measures. */
function EditorFallback({ value, minLines = 3 }: CodeEditorProps): ReactNode {
  return (
    <pre
      aria-hidden
      style={{ minHeight: `${minLines * 20 + 8}px` }}
      className="overflow-auto rounded-md border border-field bg-code-bg py-1 pl-12 font-mono text-xs leading-5"
    >
      {value}
    </pre>
  );
}
