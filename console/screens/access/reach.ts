import type { Answer } from "../../api/client.ts";

export type Reach = Answer<"getToken">["reach"];

/** One tool that a token reaches, through the whole gateway (`null`) or through a profile. */
export type ReachRow = Reach[number]["tools"][number] & { readonly profile: string | null };

export interface ReachFilter {
  /** Part of the name, the server or the rule. */
  readonly text?: string | undefined;
  readonly effect?: string | undefined;
  readonly decision?: string | undefined;
  readonly profile?: string | undefined;
}

export function reachRows(reach: Reach): readonly ReachRow[] {
  return reach.flatMap(({ profile, tools }) => tools.map((tool) => ({ ...tool, profile })));
}

export function filterReach(rows: readonly ReachRow[], filter: ReachFilter): readonly ReachRow[] {
  const text = filter.text?.trim().toLowerCase() ?? "";
  return rows.filter(
    (row) =>
      isOneOf(row.effect, filter.effect) &&
      isOneOf(row.do, filter.decision) &&
      isOneOf(row.profile ?? "", filter.profile) &&
      (text === "" ||
        [row.name, row.server, row.rule.name, row.rule.why ?? ""].some((each) =>
          each.toLowerCase().includes(text),
        )),
  );
}

/** How many are allowed, asked about and refused. */
export function countDecisions(
  rows: readonly Pick<ReachRow, "do">[],
): Readonly<Record<ReachRow["do"], number>> {
  const counts = { allow: 0, ask: 0, refuse: 0 };
  for (const row of rows) counts[row.do] += 1;
  return counts;
}

function isOneOf(value: string, wanted: string | undefined): boolean {
  return wanted === undefined || wanted === "" || wanted.split(",").includes(value);
}
