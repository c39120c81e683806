import type { ReactNode } from "react";

/** The mark and the name. */
export function Brand({ markOnly = false }: { readonly markOnly?: boolean }): ReactNode {
  return (
    <span className="inline-flex items-center gap-2 text-base font-semibold tracking-tight">
      <svg aria-hidden viewBox="0 0 32 32" className="size-5 shrink-0">
        <rect width="32" height="32" rx="7" className="fill-accent-fill" />
        <path
          d="M10 23V9h6.6a4.6 4.6 0 0 1 0 9.2H10m6.4 0L22 23"
          fill="none"
          stroke="#fff"
          strokeWidth="2.6"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </svg>
      <span className={markOnly ? "sr-only" : undefined}>Repertoire</span>
    </span>
  );
}
