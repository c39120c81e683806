/** Shapes that servers send and no client should meet: entries of lists, and answers as the text beside `jsonrpc` and `id`. */

/** What becomes of an entry: it is left out, or comes without these fields. */
export type EntryFate = "left out" | readonly string[];

const OBJECT = { type: "object" };

/** By the name that the tool has; those that have none are told apart by their reason alone. */
export const ODD_TOOLS: Readonly<Record<string, readonly [object: unknown, fate: EntryFate]>> = {
  annotation_text: [{ annotations: { readOnlyHint: "true", title: "x" } }, ["annotations"]],
  annotation_number: [{ annotations: { destructiveHint: 0 } }, ["annotations"]],
  annotation_list: [{ annotations: [] }, ["annotations"]],
  annotation_null: [{ annotations: null }, ["annotations"]],
  output_untyped: [{ outputSchema: { properties: {} } }, ["outputSchema"]],
  output_array: [{ outputSchema: { type: "array", items: {} } }, ["outputSchema"]],
  output_true: [{ outputSchema: true }, ["outputSchema"]],
  output_remote: [{ outputSchema: { type: "object", $ref: "http://x" } }, ["outputSchema"]],
  output_property: [{ outputSchema: { type: "object", properties: { a: 5 } } }, ["outputSchema"]],
  icons_text: [{ icons: "x" }, ["icons"]],
  icons_unsourced: [{ icons: [{ sizes: ["1x1"] }] }, ["icons"]],
  icons_theme: [{ icons: [{ src: "x:y", theme: "blue" }] }, ["icons"]],
  title_number: [{ title: 7 }, ["title"]],
  description_list: [{ description: ["a"] }, ["description"]],
  execution_text: [{ execution: "later" }, ["execution"]],
  execution_word: [{ execution: { taskSupport: "maybe" } }, ["execution"]],
  meta_list: [{ _meta: [] }, ["_meta"]],
  meta_text: [{ _meta: "x" }, ["_meta"]],
  input_true: [{ inputSchema: true }, "left out"],
  input_text: [{ inputSchema: { type: "string" } }, "left out"],
  input_required: [{ inputSchema: { type: "object", required: "a" } }, "left out"],
  input_properties: [{ inputSchema: { type: "object", properties: [] } }, "left out"],
  // Right by JSON Schema, and refused by SDK 1.x: written as the schema that means the same.
  input_any_property: [{ inputSchema: { type: "object", properties: { a: true, b: false } } }, []],
};

export const ODD_TOOL_LIST: readonly unknown[] = [
  ...Object.entries(ODD_TOOLS).map(([name, [given]]) => ({
    name,
    inputSchema: OBJECT,
    ...(given as object),
  })),
  { inputSchema: OBJECT },
  { name: 5, inputSchema: OBJECT },
  null,
  "tool",
  [],
  7,
];

export const ODD_RESOURCES: Readonly<Record<string, readonly [object, EntryFate]>> = {
  size_text: [{ size: "big" }, ["size"]],
  mime_number: [{ mimeType: 5 }, ["mimeType"]],
  mime_word: [{ mimeType: "text" }, ["mimeType"]],
  priority_high: [{ annotations: { priority: 5 } }, ["annotations"]],
  audience_text: [{ annotations: { audience: "user" } }, ["annotations"]],
  modified_day: [{ annotations: { lastModified: "2025-02-30T00:00:00Z" } }, ["annotations"]],
  icons_object: [{ icons: {} }, ["icons"]],
  title_object: [{ title: {} }, ["title"]],
  description_number: [{ description: 1 }, ["description"]],
  meta_number: [{ _meta: 5 }, ["_meta"]],
  uri_number: [{ uri: 5 }, "left out"],
};

export const ODD_PROMPTS: Readonly<Record<string, readonly [object, EntryFate]>> = {
  required_text: [{ arguments: [{ name: "a", required: "yes" }] }, []],
  described_number: [{ arguments: [{ name: "a", description: 5 }] }, []],
  arguments_object: [{ arguments: {} }, ["arguments"]],
  argument_unnamed: [{ arguments: [{}] }, ["arguments"]],
  arguments_null: [{ arguments: null }, ["arguments"]],
  icons_number: [{ icons: 5 }, ["icons"]],
};

export const ODD_RESOURCE_LIST: readonly unknown[] = [
  ...Object.entries(ODD_RESOURCES).map(([name, [given]]) => ({ name, uri: `odd:///${name}`, ...given })),
  null,
];
export const ODD_PROMPT_LIST: readonly unknown[] = [
  ...Object.entries(ODD_PROMPTS).map(([name, [given]]) => ({ name, ...given })),
  "prompt",
];

/** The reason of the error that the answer comes to, or the content of the result that it is repaired to. */
export type AnswerFate = { readonly reason: string } | { readonly content: readonly unknown[] };

const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
const MALFORMED = { reason: "malformed_answer" };
const resultOf = (value: unknown) => `"result":${JSON.stringify(value)}`;
const block = (given: object) => resultOf({ content: [given] });
const said = [{ type: "text", text: "x" }];

/** What `tools/call` is answered with. */
export const ODD_ANSWERS: Readonly<Record<string, readonly [body: string, fate: AnswerFate]>> = {
  empty: [resultOf({}), MALFORMED],
  only_error: [resultOf({ isError: true }), MALFORMED],
  tool_result: [resultOf({ toolResult: { a: 1 } }), MALFORMED],
  text: [resultOf("s"), MALFORMED],
  list: [resultOf([]), MALFORMED],
  null_result: [resultOf(null), MALFORMED],
  number: [resultOf(7), MALFORMED],
  nothing: ["", MALFORMED],
  content_text: [resultOf({ content: "s" }), MALFORMED],
  content_object: [resultOf({ content: {} }), MALFORMED],
  block_text: [resultOf({ content: ["s"] }), MALFORMED],
  block_null: [resultOf({ content: [null] }), MALFORMED],
  block_untyped: [block({ text: "x" }), MALFORMED],
  block_typed: [block({ type: 5, text: "x" }), MALFORMED],
  text_number: [block({ type: "text", text: 5 }), MALFORMED],
  text_missing: [block({ type: "text" }), MALFORMED],
  image_url: [block({ type: "image", data: "data:image/png;base64,AAAA", mimeType: "image/png" }), MALFORMED],
  image_untyped: [block({ type: "image", data: "AAAA" }), MALFORMED],
  resource_bare: [block({ type: "resource", resource: { uri: "x:y" } }), MALFORMED],
  link_unnamed: [block({ type: "resource_link", uri: "x:y" }), MALFORMED],
  structure_text: [resultOf({ content: said, structuredContent: "s" }), MALFORMED],
  structure_list: [resultOf({ content: said, structuredContent: [1] }), MALFORMED],
  flag_text: [resultOf({ content: said, isError: "no" }), MALFORMED],
  deep_structure: [
    `"result":{"content":[],"structuredContent":{"a":${nested(4_500)}}}`,
    { reason: "answer_too_deep" },
  ],
  deep_error: [
    `"error":{"code":-32000,"message":"m","data":${nested(4_500)}}`,
    { reason: "answer_too_deep" },
  ],
  deep_meta: [`"result":{"content":[],"_meta":{"a":${nested(4_500)}}}`, { reason: "answer_too_deep" }],
  structure_alone: [resultOf({ structuredContent: { a: 1 } }), { content: [] }],
  structure_null: [resultOf({ content: said, structuredContent: null, isError: null }), { content: said }],
  error_null: [`"error":null,${resultOf({ content: said })}`, { content: said }],
  hint_odd: [block({ ...said[0], annotations: { priority: 9 }, _meta: 5 }), { content: said }],
  meta_text: [resultOf({ content: said, _meta: "x" }), { content: said }],
  meta_token: [resultOf({ content: said, _meta: { progressToken: {} } }), { content: said }],
};
