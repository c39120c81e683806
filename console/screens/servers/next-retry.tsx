import { useEffect, useState, type ReactNode } from "react";
import { Time } from "../../parts/time.tsx";

/** When a server that failed is tried again, counting down from what the gateway said; then the next call tries it. */
export function NextRetry({ inMs }: { readonly inMs: number | undefined }): ReactNode {
  const [at, setAt] = useState<string>();
  useEffect(() => {
    if (inMs === undefined) return;
    setAt(new Date(Date.now() + inMs).toISOString());
    const timer = setTimeout(() => setAt(undefined), inMs);
    return () => clearTimeout(timer);
  }, [inMs]);
  if (inMs === undefined) return null;
  return (
    <span className="truncate text-xs text-muted">
      {at === undefined ? (
        "tried again when it is needed"
      ) : (
        <>
          tried again <Time at={at} />
        </>
      )}
    </span>
  );
}
