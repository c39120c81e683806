import { useRef, type PointerEvent, type RefObject } from "react";
import { formatDuration } from "../../../parts/format.ts";
import { msAt, type Span } from "./span.ts";

export interface Cursor {
  readonly label: RefObject<HTMLSpanElement | null>;
  readonly lines: RefObject<HTMLDivElement | null>;
  readonly onPointerMove: (event: PointerEvent<HTMLElement>) => void;
  readonly onPointerLeave: (event: PointerEvent<HTMLElement>) => void;
}

/** The line under the pointer, with its time. It moves without React: a row is never drawn for it. */
export function useCursor(span: Span): Cursor {
  const label = useRef<HTMLSpanElement>(null);
  const lines = useRef<HTMLDivElement>(null);
  return {
    label,
    lines,
    onPointerMove(event) {
      const frame = event.currentTarget;
      const track = lines.current?.getBoundingClientRect();
      const x = track === undefined ? -1 : event.clientX - track.left;
      if (track === undefined || x < 0 || x > track.width) {
        frame.removeAttribute("data-cursor");
        return;
      }
      frame.setAttribute("data-cursor", "");
      frame.style.setProperty("--cursor", `${x}px`);
      if (label.current !== null) label.current.textContent = formatDuration(msAt(span, x / track.width));
    },
    onPointerLeave: (event) => event.currentTarget.removeAttribute("data-cursor"),
  };
}
