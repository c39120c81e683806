import type { ReactNode } from "react";
import { Code } from "../../parts/code.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import type { ItemDetails } from "./item-details.ts";

export function ItemSource({ item: { source, kind, version } }: { readonly item: ItemDetails }): ReactNode {
  return (
    <>
      <div className="flex items-center gap-2 border-b border-line px-4 py-1.5 text-muted max-sm:px-3">
        <span>
          Version {version}, {source.split("\n").length} lines
        </span>
        <span className="ml-auto">
          <CopyButton text={source} label="Copy the source" labelled />
        </span>
      </div>
      <Code
        text={source}
        language={kind === "code" ? "typescript" : "json"}
        label="Source"
        className="min-h-0 flex-1"
      />
    </>
  );
}
