import type { ReactNode } from "react";
import { Input, Select, Textarea, type FieldControl } from "../field.tsx";
import type { SchemaNode } from "./schema-node.ts";

type ScalarNode = Extract<SchemaNode, { kind: "string" | "number" | "boolean" | "choice" | "const" }>;

export interface ScalarControlProps {
  readonly control: FieldControl;
  readonly node: ScalarNode;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly required: boolean;
}

/** The browser's own field for a format, where it has one. */
const INPUT_TYPES: Readonly<Record<string, string>> = {
  email: "email",
  uri: "url",
  date: "date",
  time: "time",
  password: "password",
};

/** The control for one plain value. An optional one that is emptied is not given at all. */
export function ScalarControl({ control, node, value, onChange, required }: ScalarControlProps): ReactNode {
  switch (node.kind) {
    case "const":
      return <Input {...control} value={JSON.stringify(node.value)} readOnly />;
    case "boolean":
      return <BooleanSelect control={control} value={value} onChange={onChange} required={required} />;
    case "choice":
      return (
        <ChoiceSelect
          control={control}
          values={node.values}
          value={value}
          onChange={onChange}
          required={required}
        />
      );
    case "number":
      return <NumberInput control={control} node={node} value={value} onChange={onChange} />;
    case "string": {
      const text = typeof value === "string" ? value : "";
      const change = (next: string) => onChange(next === "" && !required ? undefined : next);
      if (node.isLong || text.includes("\n")) {
        return <Textarea {...control} value={text} onChange={(event) => change(event.target.value)} />;
      }
      return (
        <Input
          {...control}
          type={INPUT_TYPES[node.format ?? ""] ?? "text"}
          value={text}
          placeholder={node.format}
          onChange={(event) => change(event.target.value)}
        />
      );
    }
  }
}

type Plain = Omit<ScalarControlProps, "node">;

function NumberInput({
  control,
  node,
  value,
  onChange,
}: Omit<Plain, "required"> & { readonly node: Extract<ScalarNode, { kind: "number" }> }): ReactNode {
  return (
    <Input
      {...control}
      type="number"
      step={node.isInteger ? 1 : "any"}
      min={node.min}
      max={node.max}
      value={typeof value === "number" ? String(value) : ""}
      onChange={(event) => onChange(event.target.value === "" ? undefined : event.target.valueAsNumber)}
    />
  );
}

function BooleanSelect({ control, value, onChange, required }: Plain): ReactNode {
  return (
    <ChoiceSelect
      control={control}
      values={[true, false]}
      value={value}
      onChange={onChange}
      required={required}
    />
  );
}

/** Values can be of any kind, so the options are named by their place. */
function ChoiceSelect({
  control,
  values,
  value,
  onChange,
  required,
}: Plain & { readonly values: readonly unknown[] }): ReactNode {
  const at = values.findIndex((each) => JSON.stringify(each) === JSON.stringify(value));
  return (
    <Select
      {...control}
      value={String(at)}
      onChange={(event) =>
        onChange(event.target.value === "-1" ? undefined : values[Number(event.target.value)])
      }
      options={[
        ...(required && at !== -1 ? [] : [{ value: "-1", label: required ? "Choose…" : "(not given)" }]),
        ...values.map((each, index) => ({
          value: String(index),
          label: typeof each === "string" ? each : JSON.stringify(each),
        })),
      ]}
    />
  );
}
