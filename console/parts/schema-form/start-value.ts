import type { SchemaNode } from "./schema-node.ts";

/** What a form begins with: defaults, constants, and something empty for what is required. */
export function startValueOfNode(node: SchemaNode): unknown {
  if (node.fallback !== undefined) return node.fallback;
  switch (node.kind) {
    case "string":
      return "";
    case "number":
      return node.min ?? 0;
    case "boolean":
      return false;
    case "choice":
      return node.values[0];
    case "const":
      return node.value;
    case "array":
      return [];
    case "oneOf":
      return startValueOfNode(node.options[0]!);
    case "json":
      return {};
    case "object":
      return Object.fromEntries(
        node.fields
          .filter(({ required, node: field }) => required || field.fallback !== undefined)
          .map(({ name, node: field }) => [name, startValueOfNode(field)]),
      );
  }
}

/** Which option of a union a value is of, by its shape. */
export function optionOf(options: readonly SchemaNode[], value: unknown): number {
  const found = options.findIndex((option) => fits(option, value));
  return found === -1 ? 0 : found;
}

function fits(node: SchemaNode, value: unknown): boolean {
  switch (node.kind) {
    case "string":
    case "number":
    case "boolean":
      return typeof value === node.kind;
    case "choice":
      return node.values.includes(value);
    case "const":
      return node.value === value;
    case "array":
      return Array.isArray(value);
    case "oneOf":
      return node.options.some((option) => fits(option, value));
    case "object":
      return (
        isObject(value) &&
        node.fields.every(({ name, required, node: field }) => fitsField(value, name, required, field))
      );
    case "json":
      return true;
  }
}

function fitsField(value: object, name: string, required: boolean, field: SchemaNode): boolean {
  if (!Object.hasOwn(value, name)) return !required;
  return field.kind === "const" ? fits(field, (value as Record<string, unknown>)[name]) : true;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
