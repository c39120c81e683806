import { Users } from "lucide-react";
import type { ReactNode } from "react";
import { toolErrorOf } from "../../api/api-error.ts";
import { useAsk } from "../../api/queries.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { JsonView } from "../../parts/json-view.tsx";
import { PageBody, Section } from "../../parts/page.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { Visible } from "../../parts/visible.tsx";

/** The named parts of the gateway, and where clients reach them. */
export function ProfilesTab(): ReactNode {
  const asked = useAsk("listProfiles", {});
  if (asked.isPending) return <SkeletonRows rows={6} />;
  if (asked.isError)
    return <ErrorState error={toolErrorOf(asked.error)} onRetry={() => void asked.refetch()} />;
  const { profiles } = asked.data;
  if (profiles.length === 0) return <NoProfiles />;
  return (
    <PageBody>
      <div className="max-w-4xl divide-y divide-line">
        {profiles.map(({ name, url, rules }) => (
          <Section
            key={name}
            className="py-4 first:pt-0"
            title={<Visible text={name} />}
            aside={<code className="font-mono text-xs">{addressOf(url)}</code>}
            actions={<CopyButton text={addressOf(url)} label={`Copy the address of ${name}`} />}
          >
            <JsonView value={rules} label={`The profile ${name}`} depth={3} />
          </Section>
        ))}
      </div>
    </PageBody>
  );
}

/** What the gateway gives as a path is at the address of this page. */
function addressOf(url: string): string {
  return url.startsWith("/") ? `${location.origin}${url}` : url;
}

function NoProfiles(): ReactNode {
  return (
    <EmptyState icon={Users} title="No profiles" command="repertoire config path">
      A profile is a named part of the gateway with its own address: some servers, some tools, its own
      descriptions. Write one under <code className="font-mono text-xs">profiles</code> in the config.
    </EmptyState>
  );
}
