import type { ReactNode } from "react";
import { Visible } from "./visible.tsx";

export interface SentRequestProps {
  readonly method: string;
  readonly url: string;
  readonly body?: unknown;
}

/** Exactly what an action sends: where to, and the whole JSON. It is short, so nothing of it is folded or cut. */
export function SentRequest({ method, url, body }: SentRequestProps): ReactNode {
  return (
    <figure>
      <figcaption className="mb-1 text-xs text-muted">This is sent:</figcaption>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls */}
      <pre
        tabIndex={0}
        className="foreign row-focus max-h-56 overflow-auto rounded-md border border-line bg-code-bg px-3 py-2 font-mono text-xs"
      >
        <span className="text-code-keyword">{method}</span> <Visible text={decoded(url)} />
        {body !== undefined && (
          <>
            {"\n"}
            <Visible text={JSON.stringify(body, null, 2)} />
          </>
        )}
      </pre>
    </figure>
  );
}

/** As people read it: names with a colon or an @ are not full of percents. */
function decoded(url: string): string {
  try {
    return decodeURI(url).replaceAll("%3A", ":").replaceAll("%40", "@");
  } catch {
    return url;
  }
}
