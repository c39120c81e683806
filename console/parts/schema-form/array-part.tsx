import { Plus, Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import { Button, IconButton } from "../button.tsx";
import { errorOf, PartName, type NestingPartProps } from "./part-text.tsx";
import type { SchemaNode } from "./schema-node.ts";
import { startValueOfNode } from "./start-value.ts";

/** More are pasted as JSON. */
const ITEMS_MAX = 100;

/** The items of a list, each with its own part of the form. */
export function ArrayPart(
  props: NestingPartProps & { readonly node: Extract<SchemaNode, { kind: "array" }> },
): ReactNode {
  const { node, value, onChange, path, name, problems, showAll, Part } = props;
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  const error = errorOf(props);
  return (
    <div role="group" aria-label={name}>
      <PartName {...props} />
      <div className="space-y-2">
        {items.slice(0, ITEMS_MAX).map((item, at) => (
          <div key={at} className="flex items-start gap-1.5">
            <div className="min-w-0 flex-1">
              <Part
                node={node.item}
                name={`${name} ${at + 1}`}
                required
                path={`${path}/${at}`}
                value={item}
                onChange={(next) => onChange(items.with(at, next ?? startValueOfNode(node.item)))}
                problems={problems}
                showAll={showAll}
              />
            </div>
            <IconButton
              icon={Trash2}
              label={`Remove ${name} ${at + 1}`}
              onClick={() => onChange(emptied(items.toSpliced(at, 1), props.required))}
            />
          </div>
        ))}
        {items.length > ITEMS_MAX && (
          <p className="text-muted">{items.length - ITEMS_MAX} more are not shown.</p>
        )}
        <Button size="sm" icon={Plus} onClick={() => onChange([...items, startValueOfNode(node.item)])}>
          Add
        </Button>
        {error !== undefined && <p className="foreign text-xs text-fail">{error}</p>}
      </div>
    </div>
  );
}

/** A list that is optional and empty is not given. */
function emptied(items: readonly unknown[], required: boolean): readonly unknown[] | undefined {
  return items.length === 0 && !required ? undefined : items;
}
