import type { ReactNode } from "react";
import { CodeEditor } from "../../../parts/code-editor.tsx";
import { SchemaForm } from "../../../parts/schema-form/schema-form.tsx";
import type { ToolDetails } from "../tool-details.ts";
import type { Trial, TrialChange } from "../trial.ts";
import type { JsonObject } from "../written-call.ts";

export interface TrialEditorProps {
  readonly tool: ToolDetails;
  readonly trial: Trial;
  readonly onChange: (change: TrialChange) => void;
  readonly onRun: () => void;
  /** Also what is missing; from the first time that it was to be sent. */
  readonly showAll: boolean;
}

export function TrialEditor({ tool, trial, onChange, onRun, showAll }: TrialEditorProps): ReactNode {
  if (trial.mode === "form" && takesNothing(tool))
    return <p className="text-muted">It takes no arguments.</p>;
  if (trial.mode === "form") {
    return (
      <SchemaForm
        schema={tool.input_schema}
        value={trial.args}
        onChange={(value) => onChange({ change: "args", args: (value ?? {}) as JsonObject })}
        label="Arguments"
        showAll={showAll}
      />
    );
  }
  return (
    <CodeEditor
      key={trial.mode}
      value={trial.text}
      onChange={(text) => onChange({ change: "text", text })}
      language={trial.mode === "json" ? "json" : "typescript"}
      label={trial.mode === "json" ? "Arguments as JSON" : "The call as code"}
      minLines={6}
      maxLines={24}
      onRun={onRun}
    />
  );
}

/** No parameters, and nothing in the schema that could mean others. */
function takesNothing({ parameters, input_schema: schema }: ToolDetails): boolean {
  const others = ["additionalProperties", "patternProperties", "anyOf", "oneOf", "allOf", "$ref"];
  return parameters.length === 0 && others.every((key) => schema[key] === undefined || schema[key] === false);
}
