import { lazy, Suspense, useSyncExternalStore, type ReactNode } from "react";
import { shownToasts, watchToasts } from "../parts/toast-store.ts";

const Toaster = lazy(async () => ({ default: (await import("../parts/toaster.tsx")).Toaster }));

/** The messages in the corner; loaded with the first of them. */
export function Toasts(): ReactNode {
  const isAny = useSyncExternalStore(watchToasts, () => shownToasts().length > 0);
  return (
    <>
      {/* It is there before its first message: a region that comes with its text is often not read out. */}
      <div role="status" className="sr-only">
        {isAny ? shownToasts().at(-1)?.title : ""}
      </div>
      <Suspense>{isAny && <Toaster />}</Suspense>
    </>
  );
}
