import { type Json, type JsonObject, isJsonObject } from "../../core/json.ts";

/** Levels of a value that is described, or of a copied schema. Below, anything goes. */
export const DEPTH_MAX = 8;
/** An object with more is a map, and its names mean nothing. */
export const PROPERTY_COUNT_MAX = 100;

/** What was seen of one or several values in the same place. */
interface Shape {
  readonly types: Set<string>;
  /** In how many objects each name was seen. */
  readonly properties: Map<string, { readonly shape: Shape; count: number }>;
  objectCount: number;
  isMap: boolean;
  /** Something was too deep to be looked at. */
  isOpen: boolean;
  items?: Shape;
}

/**
 * A schema that a value satisfies, and that values like it would: types, the properties of objects, the items of lists
 * merged; no enums, no constants. Only of several items can be said that all have a property, and it is required; a
 * null alone says nothing of what else might be there.
 */
export function schemaOfValue(value: Json): JsonObject {
  const shape = createShape();
  see(shape, value, 0);
  return schemaOfShape(shape);
}

function createShape(): Shape {
  return { types: new Set(), properties: new Map(), objectCount: 0, isMap: false, isOpen: false };
}

function see(shape: Shape, value: Json, depth: number): void {
  if (depth >= DEPTH_MAX) shape.isOpen = true;
  if (shape.isOpen) return;
  shape.types.add(typeName(value));
  if (Array.isArray(value)) {
    for (const item of value as readonly Json[]) see((shape.items ??= createShape()), item, depth + 1);
  } else if (isJsonObject(value)) seeObject(shape, value, depth);
}

function seeObject(shape: Shape, object: JsonObject, depth: number): void {
  shape.objectCount++;
  for (const [name, value] of Object.entries(object)) {
    if (shape.isMap) return;
    const property = shape.properties.get(name) ?? { shape: createShape(), count: 0 };
    property.count++;
    shape.properties.set(name, property);
    see(property.shape, value, depth + 1);
    shape.isMap = shape.properties.size > PROPERTY_COUNT_MAX;
  }
}

function schemaOfShape({ types, properties, objectCount, isMap, isOpen, items }: Shape): JsonObject {
  if (isOpen || (types.size === 1 && types.has("null"))) return {};
  const known = isMap ? [] : [...properties];
  const always = known.filter(([, { count }]) => objectCount > 1 && count === objectCount);
  const below = items === undefined ? {} : schemaOfShape(items);
  return {
    type: types.size === 1 ? [...types][0]! : [...types],
    ...(types.has("object") &&
      !isMap && {
        properties: Object.fromEntries(known.map(([name, { shape }]) => [name, schemaOfShape(shape)])),
      }),
    ...(always.length > 0 && { required: always.map(([name]) => name) }),
    ...(Object.keys(below).length > 0 && { items: below }),
  };
}

/** What JSON Schema calls the type of a value; an integer is a number here. */
export function typeName(value: Json): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
