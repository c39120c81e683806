import { useEffect, useMemo, useRef, type ReactNode } from "react";
import { TONE_FILL, type Tone } from "./badge.tsx";
import { cx } from "./class-names.ts";
import { highlight, type CodeLanguage, type CodeSpan } from "./highlight.ts";
import { Visible } from "./visible.tsx";

export interface CodeMark {
  /** From 1. */
  readonly line: number;
  readonly tone: Tone;
  /** What it says: "3 calls, 1 failed". */
  readonly title: string;
}

export interface CodeProps {
  readonly text: string;
  readonly language?: CodeLanguage;
  /** What it is, for screen readers: "Source". */
  readonly label: string;
  readonly marks?: readonly CodeMark[];
  /** The line that is shown and scrolled to. */
  readonly current?: number | undefined;
  /** A click on the number of a line; only marked lines, where there are marks. */
  readonly onLine?: (line: number) => void;
  readonly lineNumbers?: boolean;
  readonly className?: string;
}

/** Lines that one block of code shows at most; larger sources are cut, and copied whole. */
const LINES_MAX = 5_000;

const COLOURS: Readonly<Record<CodeSpan["kind"], string>> = {
  plain: "",
  keyword: "text-code-keyword",
  string: "text-code-string",
  number: "text-code-number",
  comment: "text-code-comment italic",
  name: "text-code-name",
};

/** Code to read: numbered lines, marks beside them, quiet colours. */
export function Code(props: CodeProps): ReactNode {
  const {
    text,
    language = "text",
    label,
    marks = [],
    current,
    onLine,
    lineNumbers = true,
    className,
  } = props;
  const lines = useMemo(() => highlight(text, language).slice(0, LINES_MAX), [text, language]);
  const markOf = useMemo(() => new Map(marks.map((mark) => [mark.line, mark])), [marks]);
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (current === undefined) return;
    frame.current?.querySelector(`[data-line="${current}"]`)?.scrollIntoView({ block: "center" });
  }, [current]);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls
    <div
      ref={frame}
      role="region"
      aria-label={label}
      tabIndex={0}
      className={cx("row-focus overflow-auto bg-code-bg py-2 font-mono text-xs leading-5", className)}
    >
      <div className="min-w-max">
        {lines.map((spans, at) => (
          <div key={at} data-line={at + 1} className={cx("flex pr-4", current === at + 1 && "bg-selected")}>
            {lineNumbers && (
              <Gutter
                line={at + 1}
                mark={markOf.get(at + 1)}
                isCurrent={current === at + 1}
                onLine={onLine}
                hasMarks={marks.length > 0}
              />
            )}
            <code className={cx("whitespace-pre", !lineNumbers && "pl-3")}>
              {spans.map(({ kind, text: part }, index) => (
                <span key={index} className={COLOURS[kind]}>
                  <Visible text={part} />
                </span>
              ))}
              {spans.length === 0 && "\u00A0"}
            </code>
          </div>
        ))}
      </div>
    </div>
  );
}

interface GutterProps {
  readonly line: number;
  readonly mark: CodeMark | undefined;
  readonly isCurrent: boolean;
  readonly hasMarks: boolean;
  readonly onLine: ((line: number) => void) | undefined;
}

function Gutter({ line, mark, isCurrent, hasMarks, onLine }: GutterProps): ReactNode {
  const content = (
    <>
      {mark !== undefined && (
        <span aria-hidden className={cx("size-1.5 rounded-full", TONE_FILL[mark.tone])} />
      )}
      {line}
    </>
  );
  const look =
    "sticky left-0 mr-3 flex w-12 shrink-0 items-center justify-end gap-1.5 border-r border-line bg-code-bg pr-2 text-faint select-none";
  if (onLine === undefined || (hasMarks && mark === undefined))
    return <span className={look}>{content}</span>;
  return (
    <button
      type="button"
      title={mark?.title}
      aria-label={`Line ${line}${mark === undefined ? "" : `: ${mark.title}`}`}
      aria-pressed={isCurrent}
      onClick={() => onLine(line)}
      className={cx(look, "row-focus hover:text-text")}
    >
      {content}
    </button>
  );
}
