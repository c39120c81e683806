import type { ComponentType, ReactNode } from "react";
import { Visible } from "../visible.tsx";
import type { FormProblem } from "./problems.ts";
import type { SchemaNode } from "./schema-node.ts";

export interface FormPartProps {
  readonly node: SchemaNode;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  /** A JSON Pointer. */
  readonly path: string;
  readonly name: string;
  readonly required: boolean;
  readonly problems: readonly FormProblem[];
  readonly showAll: boolean;
  readonly isRoot?: boolean;
}

/** What the parts of objects and lists get: they draw their own parts with it. */
export interface NestingPartProps extends FormPartProps {
  readonly Part: ComponentType<FormPartProps>;
}

/** The name of a field, as the schema has it. */
export function FieldName({ name, node }: Pick<FormPartProps, "name" | "node">): ReactNode {
  return (
    <>
      <code className="font-mono text-xs">
        <Visible text={name} max={100} />
      </code>
      {node.title !== undefined && node.title !== name && (
        <span className="font-normal text-muted">
          <Visible text={node.title} max={100} />
        </span>
      )}
    </>
  );
}

/** The heading of a part that has several controls. */
export function PartName(props: Pick<FormPartProps, "name" | "node" | "required">): ReactNode {
  const hint = hintOf(props.node);
  return (
    <div className="mb-1">
      <span className="font-medium">
        <FieldName {...props} />
        {props.required && (
          <span aria-hidden className="ml-1 text-fail">
            *
          </span>
        )}
      </span>
      {hint !== undefined && <p className="foreign text-xs text-muted">{hint}</p>}
    </div>
  );
}

export function hintOf({ description }: SchemaNode): ReactNode | undefined {
  return description === undefined ? undefined : <Visible text={description} max={600} />;
}

/** Problems of this very field; an empty one that was not touched is none yet. */
export function errorOf({ path, problems, value, showAll }: FormPartProps): string | undefined {
  const isEmpty = value === undefined || value === "";
  return isEmpty && !showAll ? undefined : problems.find((problem) => problem.path === path)?.message;
}
