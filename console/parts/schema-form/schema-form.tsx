/** A form that is made from a JSON Schema, and gives JSON. Where a form would not serve, an editor takes its place. */
import { useEffect, useMemo, type ReactNode } from "react";
import { FormPart } from "./form-part.tsx";
import { JsonPart } from "./json-part.tsx";
import { problemsOf, type FormProblem } from "./problems.ts";
import { schemaNodeOf } from "./schema-node.ts";
import { startValueOfNode } from "./start-value.ts";

export type { FormProblem } from "./problems.ts";

export interface SchemaFormProps {
  readonly schema: unknown;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  /** After each change; nothing should be sent while there are some. */
  readonly onProblems?: (problems: readonly FormProblem[]) => void;
  readonly label: string;
  /** Problems are shown from the beginning; otherwise only those of fields that have a value. */
  readonly showAll?: boolean;
}

export function SchemaForm({
  schema,
  value,
  onChange,
  onProblems,
  label,
  showAll = false,
}: SchemaFormProps): ReactNode {
  const node = useMemo(() => schemaNodeOf(schema), [schema]);
  const problems = useMemo(() => problemsOf(schema, value), [schema, value]);
  useEffect(() => onProblems?.(problems), [problems, onProblems]);
  if (node === undefined) {
    return (
      <div className="space-y-2">
        <p className="text-muted">
          This schema is too large for a form, or refers to itself. Write the value as JSON.
        </p>
        <JsonPart label={label} value={value} onChange={onChange} error={problems[0]?.message} minLines={8} />
      </div>
    );
  }
  if (node.kind === "object" && node.fields.length === 0)
    return <p className="text-muted">It takes nothing.</p>;
  return (
    <div role="group" aria-label={label} className="space-y-4">
      <FormPart
        node={node}
        value={value}
        onChange={onChange}
        path=""
        name={label}
        required
        problems={problems}
        showAll={showAll}
        isRoot
      />
    </div>
  );
}

/** What a form for this schema begins with: defaults, constants, and something empty for what is required. */
export function startValueOf(schema: unknown): unknown {
  const node = schemaNodeOf(schema);
  return node === undefined ? {} : startValueOfNode(node);
}
