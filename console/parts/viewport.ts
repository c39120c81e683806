import { useCallback, useSyncExternalStore } from "react";

/** The widths at which the layout changes, as in `app/theme.css`. */
const WIDTHS = { sm: "45rem", md: "60rem", lg: "80rem" } as const;
export type Width = keyof typeof WIDTHS;

/** Whether the window is at least so wide. */
export function useIsWide(width: Width): boolean {
  const query = `(min-width: ${WIDTHS[width]})`;
  const subscribe = useCallback(
    (listener: () => void) => {
      const media = matchMedia(query);
      media.addEventListener("change", listener);
      return () => media.removeEventListener("change", listener);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches);
}
