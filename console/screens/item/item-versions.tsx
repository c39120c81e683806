import { Link } from "@tanstack/react-router";
import { History } from "lucide-react";
import { useState, type ReactNode } from "react";
import { useMay } from "../../api/session.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { cx } from "../../parts/class-names.ts";
import { Section } from "../../parts/page.tsx";
import { Time } from "../../parts/time.tsx";
import { useUrlSearch } from "../../parts/url-search.ts";
import { Visible } from "../../parts/visible.tsx";
import { currentVersionOf, type ItemDetails } from "./item-details.ts";
import { RunLink } from "./item-overview.tsx";
import { referenceOf, versionsToCompare } from "./item-reference.ts";
import { RollBackDialog } from "./roll-back-dialog.tsx";
import type { Search } from "./search.ts";
import { VersionDifference } from "./version-difference.tsx";

type Version = ItemDetails["versions"][number];

/** Older ones than these are on the command line. */
const SHOWN_MAX = 100;

/** Every version, two of them beside each other, and the way back to an older one. */
export function ItemVersions({ item }: { readonly item: ItemDetails }): ReactNode {
  const [search, change] = useUrlSearch<Search>();
  const [rollBackTo, setRollBackTo] = useState<number>();
  const versions = item.versions.toSorted((a, b) => b.version - a.version).slice(0, SHOWN_MAX);
  const compared = versionsToCompare(
    versions.map(({ version }) => version),
    search,
  );
  return (
    <div className="grid gap-x-8 gap-y-6 px-4 py-4 max-sm:px-3 lg:grid-cols-[26rem_minmax(0,1fr)]">
      <Section title="Versions" aside={item.versions.length}>
        <ol className="divide-y divide-line/60 border-y border-line">
          {versions.map((version) => (
            <VersionRow
              key={version.version}
              item={item}
              version={version}
              compared={compared}
              onCompare={change}
              onRollBack={() => setRollBackTo(version.version)}
            />
          ))}
        </ol>
      </Section>
      {compared === undefined ? (
        <p className="text-muted">There is one version. Saving under the same name makes the next one.</p>
      ) : (
        <VersionDifference name={item.name} {...compared} />
      )}
      {rollBackTo !== undefined && (
        <RollBackDialog item={item} version={rollBackTo} onClose={() => setRollBackTo(undefined)} />
      )}
    </div>
  );
}

interface VersionRowProps {
  readonly item: ItemDetails;
  readonly version: Version;
  readonly compared: { readonly before: number; readonly after: number } | undefined;
  readonly onCompare: (patch: { readonly before?: string; readonly after?: string }) => void;
  readonly onRollBack: () => void;
}

function VersionRow({
  item,
  version: { version, hash, author, created_at, run_id },
  compared,
  onCompare,
  onRollBack,
}: VersionRowProps): ReactNode {
  const isCurrent = version === currentVersionOf(item);
  const may = useMay("rollBackItem");
  return (
    <li className={cx("flex gap-3 py-2", item.version === version && "bg-selected/60")}>
      {compared !== undefined && (
        <div className="flex flex-col pl-2">
          <Pick
            side="before"
            version={version}
            compared={compared}
            onPick={() => onCompare({ before: String(version) })}
          />
          <Pick
            side="after"
            version={version}
            compared={compared}
            onPick={() => onCompare({ after: String(version) })}
          />
        </div>
      )}
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap items-center gap-2">
          <Link
            to="/library/$name"
            params={{ name: referenceOf(item.name, version) }}
            className="font-medium text-accent hover:underline"
          >
            Version {version}
          </Link>
          {isCurrent && <Badge tone="ok">Current</Badge>}
          <code className="font-mono text-2xs text-faint">{hash}</code>
        </div>
        <div className="foreign flex flex-wrap gap-x-2 text-xs text-muted">
          <span>
            <Time at={created_at} /> by <Visible text={author} max={80} />
          </span>
          {run_id !== undefined && <RunLink run={run_id} />}
        </div>
      </div>
      {!isCurrent && (
        <Button
          size="sm"
          icon={History}
          disabled={!may}
          title={may ? undefined : "Needs a session with the scope write"}
          onClick={onRollBack}
        >
          Roll back
        </Button>
      )}
    </li>
  );
}

interface PickProps {
  readonly side: "before" | "after";
  readonly version: number;
  readonly compared: { readonly before: number; readonly after: number };
  readonly onPick: () => void;
}

function Pick({ side, version, compared, onPick }: PickProps): ReactNode {
  return (
    <label className="inline-flex h-6 items-center gap-1 text-2xs text-muted">
      <input
        type="radio"
        name={`compare-${side}`}
        checked={compared[side] === version}
        onChange={onPick}
        className="size-3 accent-accent-fill"
      />
      {side === "before" ? "Old" : "New"}
      <span className="sr-only">side of the comparison: version {version}</span>
    </label>
  );
}
