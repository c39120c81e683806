import type { ReactNode } from "react";
import { piecesOf } from "./hidden-characters.ts";

/** A character that does not show, as a chip with its number. */
function HiddenCharacter({ name }: { readonly name: string }): ReactNode {
  return (
    <span
      title={`${name}: a character that does not show`}
      className="mx-px rounded-sm border border-wait-fill bg-wait-bg px-0.5 font-mono text-2xs whitespace-nowrap text-wait"
    >
      {name}
    </span>
  );
}

/**
 * A text of a server, a tool, a client or a result. It is always text, never markup; what would not show is written out.
 * `max` cuts it for rows, where the whole is in a detail.
 */
export function Visible({
  text,
  max,
}: {
  readonly text: string | null | undefined;
  readonly max?: number;
}): ReactNode {
  if (text === null || text === undefined) return null;
  const isCut = max !== undefined && text.length > max;
  const pieces = piecesOf(isCut ? text.slice(0, max) : text);
  return (
    <>
      {pieces.map((piece, at) =>
        piece.kind === "text" ? piece.text : <HiddenCharacter key={at} name={piece.name} />,
      )}
      {isCut && "…"}
    </>
  );
}
