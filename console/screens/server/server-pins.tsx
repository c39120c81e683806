import { ShieldCheck } from "lucide-react";
import { useState, type ReactNode } from "react";
import { useSession } from "../../api/session.ts";
import { twinText } from "../../api/twin.ts";
import { CommandTwin } from "../../parts/command-twin.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { FilterBar, type Filter } from "../../parts/filter-bar.tsx";
import { SplitPane } from "../../parts/split-pane.tsx";
import { Table } from "../../parts/table.tsx";
import { useUrlSearch } from "../../parts/url-search.ts";
import { PinDetail } from "./pin-detail.tsx";
import { PIN_COLUMNS } from "./pin-columns.tsx";
import { pinKey, pinName, sortPins, type Pin } from "./pins.ts";
import type { Search } from "./search.ts";

const FILTERS: readonly Filter[] = [
  {
    key: "status",
    label: "Status",
    kind: "many",
    options: [
      { value: "held", label: "Held" },
      { value: "rejected", label: "Rejected" },
      { value: "noted", label: "Noted" },
      { value: "approved", label: "Approved" },
    ],
  },
];

const DETAIL_PERCENT = 55;
/** The columns for which there is room while one pin is open. */
const BESIDE_DETAIL: ReadonlySet<string> = new Set(["status", "name", "changes"]);

export interface ServerPinsProps {
  readonly server: string;
  /** Undefined while they are on their way. */
  readonly pins: readonly Pin[] | undefined;
}

/** What may be used of what the server offers: what was approved, what has changed, what is held. */
export function ServerPins({ server, pins }: ServerPinsProps): ReactNode {
  const [search, change] = useUrlSearch<Search>();
  const { limited, profile } = useSession();
  const [size, setSize] = useState(DETAIL_PERCENT);
  const rows = sortPins(pins ?? []).filter((pin) => fits(pin, search));
  const chosen = rows.find((pin) => pinKey(pin) === search.pin);
  if (limited || profile !== null) return <NotAllowed />;
  const table = (
    <Table
      label="Pins"
      rows={rows}
      columns={chosen === undefined ? PIN_COLUMNS : PIN_COLUMNS.filter(({ id }) => BESIDE_DETAIL.has(id))}
      rowKey={pinKey}
      current={search.pin}
      onOpen={(pin) => change({ pin: pinKey(pin) })}
      isLoading={pins === undefined}
      empty={<NoPins isFiltered={(pins?.length ?? 0) > 0} server={server} />}
    />
  );
  return (
    <>
      <FilterBar
        value={search}
        onChange={change}
        filters={FILTERS}
        search={{ key: "text", label: "Search pins" }}
      >
        <div className="w-64 max-w-full max-md:hidden">
          <CommandTwin command={twinText("listPins", { query: { server, all: "true" } }) ?? ""} />
        </div>
      </FilterBar>
      <SplitPane
        label="The chosen pin"
        start={table}
        end={
          chosen && (
            <PinDetail
              key={pinKey(chosen)}
              server={server}
              pin={chosen}
              onClose={() => change({ pin: undefined })}
            />
          )
        }
        size={size}
        onSize={setSize}
      />
    </>
  );
}

function fits(pin: Pin, { status, text }: Search): boolean {
  return (
    (status === undefined || status.split(",").includes(pin.status)) &&
    (text === undefined || `${pin.kind} ${pinName(pin)}`.toLowerCase().includes(text.toLowerCase()))
  );
}

function NoPins({
  isFiltered,
  server,
}: {
  readonly isFiltered: boolean;
  readonly server: string;
}): ReactNode {
  if (isFiltered) return <EmptyState icon={ShieldCheck} title="No pin fits" />;
  return (
    <EmptyState icon={ShieldCheck} title="Nothing is on record yet" command={`repertoire tools ${server}`}>
      What a server offers when it is first listed is its baseline. Later changes are noted or held, as its
      trust says.
    </EmptyState>
  );
}

function NotAllowed(): ReactNode {
  return <EmptyState icon={ShieldCheck} title="Pins are shown to sessions that see the whole gateway" />;
}
