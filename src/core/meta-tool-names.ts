/** The tools of the gateway itself, in the order in which they are listed. */
export const META_TOOL_NAMES = [
  "browse_components",
  "list_library",
  "describe_workflow",
  "execute",
  "save_to_library",
] as const;

export function isMetaToolName(name: string): boolean {
  return (META_TOOL_NAMES as readonly string[]).includes(name);
}
