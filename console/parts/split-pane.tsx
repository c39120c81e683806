import { useRef, type CSSProperties, type KeyboardEvent, type PointerEvent, type ReactNode } from "react";
import { cx } from "./class-names.ts";
import { useIsWide } from "./viewport.ts";

/** How far one press of an arrow key moves the line, in percent. */
const STEP = 4;

export interface SplitPaneProps {
  /** What the line between the panes sizes, for screen readers: "Detail". */
  readonly label: string;
  readonly start: ReactNode;
  /** Without one, the first pane has all the room. */
  readonly end: ReactNode | undefined;
  /** Of the end pane, in percent of the whole. Keep it in `useState`, or in the URL. */
  readonly size: number;
  readonly onSize: (size: number) => void;
  /** No pane gets smaller than this, in percent. */
  readonly min?: number;
}

/** Two panes beside each other, with a line that can be moved by mouse and keyboard; in a narrow window one above the other. */
export function SplitPane({ label, start, end, size, onSize, min = 20 }: SplitPaneProps): ReactNode {
  const frame = useRef<HTMLDivElement>(null);
  const isWide = useIsWide("sm");
  const setSize = (next: number) => onSize(Math.round(Math.max(min, Math.min(100 - min, next)) * 10) / 10);
  const isSplit = end !== undefined && end !== null;
  // The first pane stays the same element when the other comes or goes: a list in it keeps its place.
  return (
    <div
      ref={frame}
      style={{ "--end": `${size}%` } as CSSProperties}
      className={cx("flex min-h-0 min-w-0 flex-1", isWide ? "flex-row" : "flex-col")}
    >
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">{start}</div>
      {isSplit && (
        <>
          <SplitLine label={label} frame={frame} isWide={isWide} size={size} min={min} onSize={setSize} />
          <div className={cx("flex min-h-0 min-w-0 shrink-0 flex-col", isWide ? "w-(--end)" : "h-(--end)")}>
            {end}
          </div>
        </>
      )}
    </div>
  );
}

interface LineProps {
  readonly label: string;
  readonly frame: React.RefObject<HTMLDivElement | null>;
  readonly isWide: boolean;
  readonly size: number;
  readonly min: number;
  readonly onSize: (size: number) => void;
}

function SplitLine({ label, frame, isWide, size, min, onSize }: LineProps): ReactNode {
  const drag = (event: PointerEvent<HTMLDivElement>) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId) || frame.current === null) return;
    const { left, top, width, height } = frame.current.getBoundingClientRect();
    onSize(
      isWide ? 100 - ((event.clientX - left) / width) * 100 : 100 - ((event.clientY - top) / height) * 100,
    );
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowLeft: STEP, ArrowUp: STEP, ArrowRight: -STEP, ArrowDown: -STEP }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    onSize(size + step);
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a separator with a value is a control
    <div
      role="separator"
      aria-label={`Size of: ${label}`}
      aria-orientation={isWide ? "vertical" : "horizontal"}
      aria-valuenow={Math.round(size)}
      aria-valuemin={min}
      aria-valuemax={100 - min}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      onKeyDown={press}
      onPointerDown={(event) => {
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={drag}
      onDoubleClick={() => onSize(40)}
      className={cx(
        "relative z-10 shrink-0 touch-none bg-line select-none hover:bg-accent active:bg-accent",
        "after:absolute after:content-['']",
        isWide
          ? "w-px cursor-col-resize after:inset-y-0 after:-inset-x-1"
          : "h-px cursor-row-resize after:inset-x-0 after:-inset-y-1.5",
      )}
    />
  );
}
