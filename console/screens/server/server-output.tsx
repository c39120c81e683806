import { useEffect, useRef, type ReactNode } from "react";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Section } from "../../parts/page.tsx";
import { Visible } from "../../parts/visible.tsx";

/** A line is cut beyond this: a program can write megabytes without a newline. */
const LINE_LENGTH_MAX = 2_000;
/** So near to the end counts as at the end, and the newest line stays in view. */
const END_PX = 24;

export interface ServerOutputProps {
  readonly lines: readonly string[];
  readonly isProgram: boolean;
}

/** The last lines of a program's stderr, which follow while one looks at the end of them. */
export function ServerOutput({ lines, isProgram }: ServerOutputProps): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    if (isAtEnd.current) box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [lines]);
  if (!isProgram && lines.length === 0) return null;
  return (
    <Section
      title="Output"
      aside="the end of its stderr"
      actions={lines.length > 0 && <CopyButton text={lines.join("\n")} label="Copy the output" />}
    >
      {lines.length === 0 ? (
        <p className="text-muted">It has written nothing to stderr since it was started here.</p>
      ) : (
        <div
          ref={box}
          role="log"
          aria-label="Output of the server"
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls
          tabIndex={0}
          onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
            isAtEnd.current = scrollHeight - scrollTop - clientHeight < END_PX;
          }}
          className="row-focus max-h-80 overflow-auto rounded-md border border-line bg-code-bg px-3 py-2 font-mono text-xs"
        >
          {lines.map((line, at) => (
            <div key={at} className="foreign">
              {line === "" ? " " : <Visible text={line} max={LINE_LENGTH_MAX} />}
            </div>
          ))}
        </div>
      )}
    </Section>
  );
}
