import { Telescope } from "lucide-react";
import type { ReactNode } from "react";
import { toolErrorOf } from "../../api/api-error.ts";
import { useAsk } from "../../api/queries.ts";
import { twinText } from "../../api/twin.ts";
import { CommandTwin } from "../../parts/command-twin.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { Select } from "../../parts/field.tsx";
import { useUrlSearch } from "../../parts/url-search.ts";
import { ErrorState } from "../../parts/error-state.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { ReachTable } from "./reach-table.tsx";
import type { Search } from "./search.ts";

/** What a token can do: each tool that it reaches, and which rule decides. */
export function ReachTab(): ReactNode {
  const [search, change] = useUrlSearch<Search>();
  const tokens = useAsk("listTokens", {});
  const names = tokens.data?.tokens.map(({ name }) => name) ?? [];
  const token = search.token ?? names[0];
  const asked = useAsk("getToken", { params: { token: token ?? "" } }, { enabled: token !== undefined });
  const options = (token === undefined || names.includes(token) ? names : [token, ...names]).map((name) => ({
    value: name,
    label: name,
  }));
  return (
    <>
      <div className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2 max-sm:px-3">
        <span className="text-muted">What can</span>
        <Select
          aria-label="The token"
          className="w-48!"
          options={options}
          value={token ?? ""}
          onChange={(event) =>
            change({
              token: event.target.value,
              text: undefined,
              effect: undefined,
              decision: undefined,
              profile: undefined,
            })
          }
        />
        <span className="text-muted">do?</span>
        {token !== undefined && (
          <div className="ml-auto w-72 max-w-full max-md:hidden">
            <CommandTwin command={twinText("getToken", { params: { token } }) ?? ""} />
          </div>
        )}
      </div>
      {asked.isError && <ErrorState error={toolErrorOf(asked.error)} onRetry={() => void asked.refetch()} />}
      {asked.isLoading && <SkeletonRows rows={10} />}
      {tokens.isSuccess && token === undefined && (
        <EmptyState icon={Telescope} title="There are no tokens yet" command="repertoire token create laptop">
          Create one, and see here what it can do before you give it away.
        </EmptyState>
      )}
      {asked.data !== undefined && !asked.isError && <ReachTable token={asked.data} />}
    </>
  );
}
