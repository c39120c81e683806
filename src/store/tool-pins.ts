import type { ToolPins } from "../core/store.ts";
import type { StoreContext } from "./backend.ts";

export function createToolPins({ db }: StoreContext): ToolPins {
  return {
    async put({ server, tool, hash, approvedAt }) {
      await db
        .insertInto("tool_pins")
        .values({ server, tool, hash, approved_at: approvedAt })
        .onConflict((conflict) =>
          conflict.columns(["server", "tool"]).doUpdateSet({ hash, approved_at: approvedAt }),
        )
        .execute();
    },
    async list(server) {
      const rows = await db
        .selectFrom("tool_pins")
        .selectAll()
        .where("server", "=", server)
        .orderBy("tool")
        .execute();
      return rows.map((row) => ({
        server: row.server,
        tool: row.tool,
        hash: row.hash,
        approvedAt: row.approved_at,
      }));
    },
  };
}
