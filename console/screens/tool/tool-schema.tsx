import type { ReactNode } from "react";
import { Code } from "../../parts/code.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { JsonView } from "../../parts/json-view.tsx";
import { Section } from "../../parts/page.tsx";
import { Visible } from "../../parts/visible.tsx";
import type { ToolDetails } from "./tool-details.ts";
import { layOut } from "./type-layout.ts";

/** A table of more than this is a schema to read as JSON. */
const PARAMETERS_MAX = 100;

/** What it takes and gives: as parameters, as TypeScript and as JSON Schema. */
export function ToolSchema({ tool }: { readonly tool: ToolDetails }): ReactNode {
  const { signature, input_schema: input, output_schema: output } = tool;
  const types = layOut(signature);
  return (
    <div className="max-w-4xl space-y-6">
      <Parameters parameters={tool.parameters} />
      <Section title="TypeScript" actions={<CopyButton text={types} label="Copy the TypeScript" />}>
        <Code
          text={types}
          language="typescript"
          label="TypeScript"
          lineNumbers={false}
          className="max-h-96 rounded-md inset-ring inset-ring-line"
        />
      </Section>
      <SchemaJson title="Input schema" schema={input} />
      {output === undefined ? (
        <p className="text-muted">The server does not say what the tool answers.</p>
      ) : (
        <SchemaJson title="Output schema" schema={output} />
      )}
    </div>
  );
}

function SchemaJson({ title, schema }: { readonly title: string; readonly schema: unknown }): ReactNode {
  return (
    <Section
      title={title}
      actions={
        <CopyButton text={() => JSON.stringify(schema, null, 2)} label={`Copy the ${title.toLowerCase()}`} />
      }
    >
      <div className="rounded-md bg-code-bg px-2 py-2 inset-ring inset-ring-line">
        <JsonView value={schema} label={title} depth={3} />
      </div>
    </Section>
  );
}

function Parameters({ parameters }: Pick<ToolDetails, "parameters">): ReactNode {
  if (parameters.length === 0) return <p className="text-muted">It takes no parameters.</p>;
  return (
    <Section title="Parameters" aside={parameters.length}>
      <dl className="divide-y divide-line border-y border-line">
        {parameters.slice(0, PARAMETERS_MAX).map((parameter) => (
          <Parameter key={parameter.name} parameter={parameter} />
        ))}
      </dl>
      {parameters.length > PARAMETERS_MAX && (
        <p className="mt-2 text-muted">The rest is in the input schema.</p>
      )}
    </Section>
  );
}

function Parameter({ parameter }: { readonly parameter: ToolDetails["parameters"][number] }): ReactNode {
  const { name, type, required, description, default: usual } = parameter;
  return (
    <div className="grid gap-x-4 gap-y-0.5 py-1.5 sm:grid-cols-[minmax(8rem,14rem)_minmax(0,1fr)]">
      <dt className="foreign min-w-0">
        <code className="font-mono text-xs font-medium">
          <Visible text={name} max={200} />
        </code>{" "}
        {!required && <span className="text-xs text-muted">optional</span>}
      </dt>
      <dd className="foreign min-w-0">
        <code className="font-mono text-xs text-code-name">
          <Visible text={type} max={400} />
        </code>
        {usual !== undefined && (
          <span className="text-xs text-muted">
            {" "}
            = <Visible text={JSON.stringify(usual)} max={200} />
          </span>
        )}
        {description !== "" && (
          <span className="block text-muted">
            <Visible text={description} max={1_000} />
          </span>
        )}
      </dd>
    </div>
  );
}
