import type { ReactNode } from "react";
import { Skeleton } from "../../parts/skeleton.tsx";

/** As high as what comes, so that nothing jumps. */
export function HomeSkeleton(): ReactNode {
  return (
    <div role="status" className="space-y-8">
      <span className="sr-only">Loading</span>
      <div className="space-y-3">
        <Skeleton className="h-4 w-24" />
        <Skeleton className="h-9 w-56" />
      </div>
      <div className="space-y-3">
        <Skeleton className="h-4 w-32" />
        <Skeleton className="h-18 w-full" />
      </div>
      <div className="grid gap-10 md:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        {[0, 1].map((column) => (
          <div key={column} className="space-y-3">
            <Skeleton className="h-4 w-24" />
            {Array.from({ length: 8 }, (_, at) => (
              <Skeleton key={at} className="h-5 w-full" />
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}
