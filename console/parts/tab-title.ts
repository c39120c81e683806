import { useEffect } from "react";

const PRODUCT = "Repertoire";

/** The title of the browser's tab while the component is on screen. */
export function useTabTitle(title: string | undefined): void {
  useEffect(() => {
    document.title = title === undefined || title === "" ? PRODUCT : `${title} · ${PRODUCT}`;
  }, [title]);
}
