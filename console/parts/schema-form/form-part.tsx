import type { ReactNode } from "react";
import { Field, Select } from "../field.tsx";
import { ArrayPart } from "./array-part.tsx";
import { JsonPart } from "./json-part.tsx";
import { ObjectPart } from "./object-part.tsx";
import { errorOf, FieldName, hintOf, PartName, type FormPartProps } from "./part-text.tsx";
import { ScalarControl } from "./scalar-control.tsx";
import type { SchemaNode } from "./schema-node.ts";
import { optionOf, startValueOfNode } from "./start-value.ts";

/** The part of a form for one node of the schema. */
export function FormPart(props: FormPartProps): ReactNode {
  const { node, value, onChange, name } = props;
  switch (node.kind) {
    case "object":
      return <ObjectPart {...props} node={node} Part={FormPart} />;
    case "array":
      return <ArrayPart {...props} node={node} Part={FormPart} />;
    case "oneOf":
      return <UnionPart {...props} node={node} />;
    case "json":
      return (
        <div>
          <PartName {...props} />
          <JsonPart label={name} value={value} onChange={onChange} error={errorOf(props)} />
        </div>
      );
    default:
      return (
        <Field
          label={<FieldName {...props} />}
          hint={hintOf(node)}
          error={errorOf(props)}
          required={props.required}
        >
          {(control) => (
            <ScalarControl
              control={control}
              node={node}
              value={value}
              onChange={onChange}
              required={props.required}
            />
          )}
        </Field>
      );
  }
}

/** The first option that fits the value has its form below the choice. */
function UnionPart(
  props: FormPartProps & { readonly node: Extract<SchemaNode, { kind: "oneOf" }> },
): ReactNode {
  const { node, value, onChange, name } = props;
  const at = value === undefined ? -1 : optionOf(node.options, value);
  const option = node.options[at];
  const choose = (index: number) =>
    onChange(index === -1 ? undefined : startValueOfNode(node.options[index]!));
  return (
    <div className="space-y-2">
      <Field label={<FieldName {...props} />} hint={hintOf(node)} required={props.required}>
        {(control) => (
          <Select
            {...control}
            value={String(at)}
            onChange={(event) => choose(Number(event.target.value))}
            options={[
              ...(props.required ? [] : [{ value: "-1", label: "(not given)" }]),
              ...node.options.map((each, index) => ({
                value: String(index),
                label: each.title ?? kindWord(each),
              })),
            ]}
          />
        )}
      </Field>
      {option !== undefined && option.kind !== "const" && (
        <div className="border-l border-line pl-3">
          <FormPart {...props} node={option} name={option.title ?? name} required isRoot={false} />
        </div>
      )}
    </div>
  );
}

function kindWord(node: SchemaNode): string {
  if (node.kind === "const") return JSON.stringify(node.value);
  return {
    choice: "one of",
    oneOf: "one of",
    json: "JSON",
    number: "number",
    string: "text",
    boolean: "yes or no",
    array: "list",
    object: "object",
  }[node.kind];
}
