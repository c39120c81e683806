import { useState, type ReactNode } from "react";
import { twinText } from "../../api/twin.ts";
import { Button } from "../../parts/button.tsx";
import { Code } from "../../parts/code.tsx";
import { CommandTwin } from "../../parts/command-twin.tsx";
import { Facts, Section } from "../../parts/page.tsx";
import { Visible } from "../../parts/visible.tsx";
import { annotationTexts, excerptText, type ToolDetails } from "./tool-details.ts";
import { ToolDecision } from "./tool-decision.tsx";
import { layOut } from "./type-layout.ts";

/** A description that goes on is opened by hand. */
const DESCRIPTION_LENGTH_MAX = 700;
const DESCRIPTION_LINES_MAX = 12;

/** What fits into the column beside the tabs. */
const NARROW = 40;

const KINDS = {
  tool: "Tool of a server",
  kept: "Library item",
  meta_tool: "Meta-tool of Repertoire",
  node: "Built-in node",
} as const;

/** What a tool says of itself, and what the rules say of it. */
export function ToolAbout({ tool }: { readonly tool: ToolDetails }): ReactNode {
  const annotations = annotationTexts(tool.annotations);
  return (
    <div className="space-y-5">
      <Description text={excerptText(tool.description)} />
      <Section title="Signature">
        <Code
          text={layOut(tool.signature, NARROW)}
          language="typescript"
          label="Signature"
          lineNumbers={false}
          className="max-h-64 rounded-md inset-ring inset-ring-line"
        />
      </Section>
      {tool.decision !== null && <ToolDecision decision={tool.decision} tool={tool.tool} />}
      <Section title="Names">
        <Facts
          facts={[
            { term: "Kind", value: KINDS[tool.kind] },
            { term: "Written", value: <Name text={tool.name} /> },
            { term: "Exposed", value: <Name text={tool.tool} /> },
          ]}
        />
      </Section>
      {annotations.length > 0 && (
        <Section title="What the server says of it">
          <Facts
            facts={annotations.map(({ name, text }) => ({
              term: name,
              value: <Visible text={text} max={400} />,
            }))}
          />
        </Section>
      )}
      <CommandTwin command={twinText("getTool", { params: { tool: tool.name } }) ?? ""} />
    </div>
  );
}

function Name({ text }: { readonly text: string }): ReactNode {
  return (
    <code className="font-mono text-xs">
      <Visible text={text} />
    </code>
  );
}

function Description({ text }: { readonly text: string }): ReactNode {
  const [isWhole, setWhole] = useState(false);
  if (text.trim() === "") return <p className="text-muted">The server gives no description.</p>;
  const begin = text.split("\n").slice(0, DESCRIPTION_LINES_MAX).join("\n").slice(0, DESCRIPTION_LENGTH_MAX);
  return (
    <div>
      <p className="foreign">
        <Visible text={text} {...(!isWhole && { max: begin.length })} />
      </p>
      {begin.length < text.length && (
        <Button
          look="quiet"
          size="sm"
          className="mt-1 -ml-2"
          aria-expanded={isWhole}
          onClick={() => setWhole(!isWhole)}
        >
          {isWhole ? "Less" : "More"}
        </Button>
      )}
    </div>
  );
}
