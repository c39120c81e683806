import { useState, type ReactNode } from "react";
import { Button } from "../button.tsx";
import { PartName, type NestingPartProps } from "./part-text.tsx";
import { escapeStep } from "./problems.ts";
import type { SchemaNode } from "./schema-node.ts";
import { startValueOfNode } from "./start-value.ts";

type ObjectNode = Extract<SchemaNode, { kind: "object" }>;
/** Of optional fields: with fewer, all are shown at once. */
const FEW = 6;

/** Fields of an object: the required ones first, the others behind a button where there are many. */
export function ObjectPart(props: NestingPartProps & { readonly node: ObjectNode }): ReactNode {
  const { node, value, onChange, required, isRoot = false } = props;
  if (!isRoot && !required && value === undefined) {
    return (
      <div>
        <PartName {...props} />
        <Button size="sm" onClick={() => onChange(startValueOfNode(node))}>
          Add
        </Button>
      </div>
    );
  }
  return (
    <div role={isRoot ? undefined : "group"} aria-label={isRoot ? undefined : props.name}>
      {!isRoot && <PartName {...props} />}
      {!isRoot && !required && (
        <Button size="sm" look="quiet" onClick={() => onChange(undefined)} className="mb-2">
          Remove
        </Button>
      )}
      <ObjectFields {...props} />
    </div>
  );
}

function ObjectFields({
  node,
  value,
  onChange,
  path,
  problems,
  showAll,
  isRoot = false,
  Part,
}: NestingPartProps & { readonly node: ObjectNode }): ReactNode {
  const given =
    typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  const [isWhole, setWhole] = useState(false);
  const optional = node.fields.filter(({ required }) => !required);
  const hidden =
    isWhole || optional.length <= FEW ? [] : optional.filter(({ name }) => given[name] === undefined);
  const shown = [
    ...node.fields.filter(({ required }) => required),
    ...optional.filter((field) => !hidden.includes(field)),
  ];
  const set = (name: string, next: unknown) => onChange(withField(given, name, next));
  return (
    <div className={isRoot ? "space-y-4" : "space-y-3 border-l border-line pl-3"}>
      {shown.map(({ name, required, node: field }) => (
        <Part
          key={name}
          node={field}
          name={name}
          required={required}
          path={`${path}/${escapeStep(name)}`}
          value={Object.hasOwn(given, name) ? given[name] : undefined}
          onChange={(next) => set(name, next)}
          problems={problems}
          showAll={showAll}
        />
      ))}
      {hidden.length > 0 && (
        <Button size="sm" look="quiet" onClick={() => setWhole(true)}>
          {hidden.length} optional fields more
        </Button>
      )}
    </div>
  );
}

/** A field that is not given is not there at all. Names are data: `__proto__` is a name like any other. */
function withField(
  given: Readonly<Record<string, unknown>>,
  name: string,
  value: unknown,
): Record<string, unknown> {
  const entries = Object.entries(given).filter(([key]) => key !== name);
  const at = Object.keys(given).indexOf(name);
  if (value === undefined) return Object.fromEntries(entries);
  return Object.fromEntries(entries.toSpliced(at === -1 ? entries.length : at, 0, [name, value]));
}
