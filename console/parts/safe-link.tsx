import { ExternalLink } from "lucide-react";
import type { ReactNode } from "react";
import { Visible } from "./visible.tsx";

/** An address that a server gave. Only https becomes a link; anything else stays text. */
export function SafeLink({
  href,
  children,
}: {
  readonly href: string;
  readonly children?: ReactNode;
}): ReactNode {
  const url = httpsUrlOf(href);
  if (url === undefined) return children ?? <Visible text={href} />;
  return (
    <a
      href={url}
      target="_blank"
      rel="noopener noreferrer"
      className="inline-flex items-center gap-1 text-accent underline decoration-line-strong underline-offset-2 hover:decoration-current"
    >
      {children ?? <Visible text={href} />}
      <ExternalLink aria-hidden size={12} />
      <span className="sr-only">(opens in a new tab)</span>
    </a>
  );
}

/** The address as the browser would go to it, where it is https and carries no name or password that could mislead. */
export function httpsUrlOf(href: string): string | undefined {
  const url = URL.parse(href.trim());
  return url?.protocol === "https:" && url.username === "" && url.password === "" ? url.href : undefined;
}
