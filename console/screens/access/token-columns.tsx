import type { ReactNode } from "react";
import type { Answer } from "../../api/client.ts";
import { Badge } from "../../parts/badge.tsx";
import type { Column } from "../../parts/table-types.ts";
import { Time } from "../../parts/time.tsx";
import { Visible } from "../../parts/visible.tsx";

export type Token = Answer<"listTokens">["tokens"][number];

export function tokenColumns(actions: (token: Token) => ReactNode): readonly Column<Token>[] {
  return [
    {
      id: "name",
      title: "Token",
      width: "minmax(7rem, 1fr)",
      cell: ({ name, expired }) => (
        <span className="flex items-center gap-2">
          <span className="truncate font-medium">
            <Visible text={name} max={100} />
          </span>
          {expired === true && <Badge tone="fail">Expired</Badge>}
        </span>
      ),
    },
    { id: "scopes", title: "Scopes", width: "minmax(7rem, 1fr)", cell: ({ scopes }) => scopes.join(", ") },
    {
      id: "limits",
      title: "Limited to",
      width: "minmax(8rem, 1.6fr)",
      from: "md",
      cell: (token) => <Limits token={token} />,
    },
    {
      id: "expires",
      title: "Expires",
      width: "5.5rem",
      from: "sm",
      cell: ({ expires_at }) =>
        expires_at === undefined ? <Faint text="Never" /> : <Time at={expires_at} />,
    },
    {
      id: "used",
      title: "Last used",
      width: "5.5rem",
      from: "sm",
      cell: ({ last_used_at }) =>
        last_used_at === null ? <Faint text="Never" /> : <Time at={last_used_at} />,
    },
    {
      id: "created",
      title: "Created",
      width: "5.5rem",
      from: "lg",
      cell: ({ created_at }) => <Time at={created_at} />,
    },
    { id: "actions", title: "", width: "2rem", cell: actions },
  ];
}

/** What the token is limited to, in words; a dash where it reaches everything. */
function Limits({ token: { profiles, effects, tools } }: { readonly token: Token }): ReactNode {
  const parts = [
    profiles && `profiles ${profiles.join(", ")}`,
    effects && `effects ${effects.join(", ")}`,
    tools && `tools ${tools.join(", ")}`,
  ].filter((part) => part !== undefined);
  if (parts.length === 0) return <Faint text="The whole gateway" />;
  const text = parts.join("; ");
  return (
    <span title={text}>
      <Visible text={text} max={300} />
    </span>
  );
}

function Faint({ text }: { readonly text: string }): ReactNode {
  return <span className="text-faint">{text}</span>;
}
