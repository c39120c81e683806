import { useRef, type KeyboardEvent, type PointerEvent, type RefObject } from "react";
import { dragSpan, isWhole, moveEdge, panSpan } from "./brush.ts";
import { lengthOf, msAt, type Span } from "./span.ts";

export interface BrushAsked {
  readonly whole: Span;
  readonly span: Span;
  readonly onPreview: (span: Span | undefined) => void;
  readonly onChange: (span: Span) => void;
}

export interface Brush {
  readonly strip: RefObject<HTMLDivElement | null>;
  readonly onPointerDown: (event: PointerEvent<HTMLElement>) => void;
  readonly onPointerMove: (event: PointerEvent<HTMLElement>) => void;
  readonly onPointerUp: (event: PointerEvent<HTMLElement>) => void;
  readonly onEdgeKey: (event: KeyboardEvent, edge: "from" | "to") => void;
}

type Drag =
  | { readonly kind: "new"; readonly fromShare: number }
  | { readonly kind: "pan"; readonly fromShare: number; readonly span: Span }
  | { readonly kind: "edge"; readonly edge: "from" | "to"; readonly span: Span };

/** One press of an arrow key, in parts of the whole. */
const KEY_SHARE = 0.02;

/** Turns a pointer on the strip into a part of the time. */
export function useBrush({ whole, span, onPreview, onChange }: BrushAsked): Brush {
  const strip = useRef<HTMLDivElement>(null);
  const drag = useRef<Drag>(undefined);
  const last = useRef<Span>(undefined);
  const shareAt = (event: PointerEvent) => {
    const { left, width } = strip.current!.getBoundingClientRect();
    return Math.min(1, Math.max(0, (event.clientX - left) / width));
  };
  return {
    strip,
    onPointerDown(event) {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      drag.current = dragOf(event.target as HTMLElement, shareAt(event), whole, span);
      last.current = undefined;
    },
    onPointerMove(event) {
      if (drag.current === undefined) return;
      last.current = spanOf(drag.current, shareAt(event), whole);
      onPreview(last.current);
    },
    onPointerUp() {
      drag.current = undefined;
      if (last.current !== undefined) onChange(last.current);
      last.current = undefined;
      onPreview(undefined);
    },
    onEdgeKey(event, edge) {
      const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      const at = edge === "from" ? span.fromMs : span.toMs;
      onChange(moveEdge(whole, span, edge, at + step * KEY_SHARE * lengthOf(whole)));
    },
  };
}

/** What is taken hold of: an end, the part that is shown, or a new part. */
function dragOf(target: HTMLElement, share: number, whole: Span, span: Span): Drag {
  const edge = target.dataset["edge"];
  if (edge === "from" || edge === "to") return { kind: "edge", edge, span };
  const at = msAt(whole, share);
  const isInside = !isWhole(whole, span) && at > span.fromMs && at < span.toMs;
  return isInside ? { kind: "pan", fromShare: share, span } : { kind: "new", fromShare: share };
}

function spanOf(drag: Drag, share: number, whole: Span): Span | undefined {
  if (drag.kind === "new") return dragSpan(whole, drag.fromShare, share);
  if (drag.kind === "edge") return moveEdge(whole, drag.span, drag.edge, msAt(whole, share));
  return panSpan(whole, drag.span, (share - drag.fromShare) * lengthOf(whole));
}
