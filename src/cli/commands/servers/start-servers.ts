/** Starts servers for a person who waits, and says which are still to come. */
import type { App, ServerView } from "../../../app/app.ts";
import { withProgress } from "../../terminal/progress-line.ts";

export function startServersVisibly(
  app: Pick<App, "viewServers">,
  ids: readonly string[],
): Promise<ServerView[]> {
  const missing = new Set(ids);
  const told = (): string => {
    const [first, ...others] = missing;
    const rest = others.length === 0 ? "" : ` and ${others.length} more`;
    return `${ids.length - missing.size} of ${ids.length} servers${first === undefined ? "" : `, waiting for ${first}${rest}`}`;
  };
  return withProgress(told(), (line) =>
    app.viewServers(true, ids, (id) => {
      missing.delete(id);
      line.show(told());
    }),
  );
}
