import { useLayoutEffect, useState, type RefObject } from "react";

export interface Widths {
  readonly width: number;
  /** Of the scroll bar, so that what lies behind the rows has their columns. */
  readonly gutter: number;
}

/** The widths of an element, as long as it is there. */
export function useWidths(target: RefObject<HTMLElement | null>): Widths {
  const [widths, setWidths] = useState<Widths>({ width: 800, gutter: 0 });
  useLayoutEffect(() => {
    const element = target.current;
    if (element === null) return;
    const measure = () => {
      const width = element.clientWidth;
      const gutter = element.offsetWidth - width;
      setWidths((before) =>
        before.width === width && before.gutter === gutter ? before : { width, gutter },
      );
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [target]);
  return widths;
}
