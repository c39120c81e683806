import { Link, useParams } from "@tanstack/react-router";
import { SquareTerminal } from "lucide-react";
import type { ReactNode } from "react";
import { toolErrorOf } from "../../api/api-error.ts";
import { useAsk } from "../../api/queries.ts";
import { twinText } from "../../api/twin.ts";
import { buttonClass } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { EffectMark } from "../../parts/effect-mark.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { Page } from "../../parts/page.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { StatusBadge } from "../../parts/status.tsx";
import { useIsWide } from "../../parts/viewport.ts";
import { Visible } from "../../parts/visible.tsx";
import { ownNameOf, type ToolDetails } from "./tool-details.ts";
import { ToolAbout } from "./tool-about.tsx";
import { useNeighbours } from "./tool-neighbours.ts";
import { ToolTabs } from "./tool-tabs.tsx";
import { ToolWarnings } from "./tool-warnings.tsx";

/** One tool: what it says of itself, which rule decides, and a try. */
export function Tool(): ReactNode {
  const { tool: name } = useParams({ from: "/tools/$tool" });
  const asked = useAsk("getTool", { params: { tool: name } });
  useNeighbours(name);
  const tool = asked.data;
  return (
    <Page
      crumbs={<Crumbs server={tool?.server} />}
      title={<Visible text={tool === undefined ? name : ownNameOf(tool)} max={160} />}
      tabTitle={tool?.name ?? name}
      aside={tool !== undefined && <Marks tool={tool} />}
      actions={tool !== undefined && <Actions tool={tool} />}
    >
      {asked.isError && (
        <ErrorState
          title="This tool cannot be shown"
          error={toolErrorOf(asked.error)}
          command={twinText("getTool", { params: { tool: name } }) ?? ""}
          onRetry={() => void asked.refetch()}
        />
      )}
      {asked.isPending && <SkeletonRows rows={12} />}
      {tool !== undefined && !asked.isError && <Panels key={tool.tool} tool={tool} />}
    </Page>
  );
}

/** Beside each other where there is room; else what it is about is the first tab. */
function Panels({ tool }: { readonly tool: ToolDetails }): ReactNode {
  const isWide = useIsWide("md");
  return (
    <>
      <ToolWarnings tool={tool} />
      <div className="flex min-h-0 flex-1">
        <div className="flex min-h-0 min-w-0 flex-1 flex-col">
          <ToolTabs tool={tool} hasAbout={!isWide} />
        </div>
        {isWide && (
          <aside
            aria-label="About the tool"
            className="min-h-0 w-88 shrink-0 overflow-auto border-l border-line px-4 py-4"
          >
            <ToolAbout tool={tool} />
          </aside>
        )}
      </div>
    </>
  );
}

function Crumbs({ server }: { readonly server: string | undefined }): ReactNode {
  return (
    <>
      <Link to="/tools" className="hover:text-text">
        Tools
      </Link>
      <span aria-hidden>/</span>
      {server !== undefined && (
        <>
          <Link to="/servers/$server" params={{ server }} className="max-w-40 truncate hover:text-text">
            <Visible text={server} max={60} />
          </Link>
          <span aria-hidden>/</span>
        </>
      )}
    </>
  );
}

function Marks({ tool: { kind, decision, held } }: { readonly tool: ToolDetails }): ReactNode {
  return (
    <>
      {kind !== "meta_tool" && decision !== null && <EffectMark effect={decision.effect} look="badge" />}
      {decision !== null && <StatusBadge state={decision.do} title={`The rule ${decision.rule.name}`} />}
      {held && <StatusBadge state="held" />}
    </>
  );
}

function Actions({ tool: { tool, kind } }: { readonly tool: ToolDetails }): ReactNode {
  const isInCode = kind === "tool" || kind === "kept";
  return (
    <>
      <CopyButton text={tool} label="Copy the name" labelled size="md" />
      {isInCode && (
        <Link to="/code" search={{ tool }} className={buttonClass()}>
          <SquareTerminal aria-hidden size={14} className="-ml-0.5" />
          Use in code
        </Link>
      )}
    </>
  );
}
