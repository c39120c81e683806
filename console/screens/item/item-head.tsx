import { Link } from "@tanstack/react-router";
import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { Badge } from "../../parts/badge.tsx";
import { Code } from "../../parts/code.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Visible } from "../../parts/visible.tsx";
import { currentVersionOf, signatureOf, type ItemDetails } from "./item-details.ts";

/** Beside the name: kind and version. */
export function ItemMarks({ item }: { readonly item: ItemDetails }): ReactNode {
  const { kind, version, visibility } = item;
  return (
    <>
      <Badge>{kind === "code" ? "Code" : "Workflow"}</Badge>
      <Badge>v{version}</Badge>
      {visibility !== "private" && <Badge>{visibility}</Badge>}
    </>
  );
}

/** What it does, how it is called, and what is wrong with it. */
export function ItemHead({ item }: { readonly item: ItemDetails }): ReactNode {
  const { name, version, description, tool } = item;
  const current = currentVersionOf(item);
  return (
    <div className="shrink-0 space-y-2 border-b border-line px-4 py-3 max-sm:px-3">
      {description !== "" && (
        <p className="foreign line-clamp-3 max-w-prose">
          <Visible text={description} />
        </p>
      )}
      <div className="flex min-w-0 items-center gap-1">
        <Code
          text={signatureOf(item)}
          language="typescript"
          label="Signature"
          lineNumbers={false}
          className="min-w-0 flex-1 rounded-md border border-line py-1!"
        />
        <CopyButton text={tool} label="Copy the tool name" />
      </div>
      {version !== current && (
        <p className="flex flex-wrap items-center gap-x-2 text-wait">
          <TriangleAlert aria-hidden size={14} />
          This is version {version}; {current} is the current one.
          <Link to="/library/$name" params={{ name }} className="text-accent underline underline-offset-2">
            Show it
          </Link>
        </p>
      )}
      {item.still_valid === false && (
        <p role="alert" className="foreign rounded-md bg-fail-bg px-3 py-2">
          <span className="font-medium text-fail">It no longer fits the tools that it uses. </span>
          <Visible text={item.problem} />
        </p>
      )}
      {item.still_valid === true && (
        <p className="flex items-center gap-2 text-muted">
          <TriangleAlert aria-hidden size={14} className="shrink-0 text-wait" />
          Tools that it uses have changed since it was saved. It still fits them.
        </p>
      )}
    </div>
  );
}
