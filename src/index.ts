export type { ToolResult } from "./core/result.ts";
