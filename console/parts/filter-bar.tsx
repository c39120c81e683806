import { ChevronDown, X } from "lucide-react";
import type { ReactNode } from "react";
import { Button, buttonClass } from "./button.tsx";
import { cx } from "./class-names.ts";
import { Input } from "./field.tsx";
import { ChoiceMenu } from "./menu.tsx";
import { Popover } from "./popover.tsx";
import { SearchBox } from "./search-box.tsx";
import type { UrlSearch } from "./url-search.ts";

export interface Filter {
  /** The search parameter that holds it; several values are separated by commas. */
  readonly key: string;
  readonly label: string;
  readonly kind: "one" | "many" | "text";
  readonly options?: readonly { readonly value: string; readonly label: string }[];
  readonly placeholder?: string;
}

export interface FilterBarProps {
  /** From `useUrlSearch`. */
  readonly value: UrlSearch;
  readonly onChange: (patch: Record<string, string | undefined>) => void;
  readonly filters: readonly Filter[];
  /** The parameter of the search box, where there is one. */
  readonly search?: { readonly key: string; readonly label: string; readonly placeholder?: string };
  /** At the right: buttons, a count. */
  readonly children?: ReactNode;
}

/** Search and filters of a list, all of which are in the URL. */
export function FilterBar({ value, onChange, filters, search, children }: FilterBarProps): ReactNode {
  const used = filters.filter(({ key }) => value[key] !== undefined);
  const clear = () => onChange(Object.fromEntries(used.map(({ key }) => [key, undefined])));
  return (
    <div
      role="search"
      className="flex shrink-0 flex-wrap items-center gap-1.5 border-b border-line px-4 py-2 max-sm:px-3"
    >
      {search !== undefined && (
        <SearchBox
          value={value[search.key] ?? ""}
          onChange={(text) => onChange({ [search.key]: text })}
          label={search.label}
          {...(search.placeholder !== undefined && { placeholder: search.placeholder })}
        />
      )}
      {filters.map((filter) => (
        <FilterChip
          key={filter.key}
          filter={filter}
          value={value[filter.key]}
          onChange={(next) => onChange({ [filter.key]: next })}
        />
      ))}
      {used.length > 1 && (
        <Button look="quiet" onClick={clear}>
          Clear
        </Button>
      )}
      {children !== undefined && <div className="ml-auto flex items-center gap-2">{children}</div>}
    </div>
  );
}

interface ChipProps {
  readonly filter: Filter;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

function FilterChip({ filter, value, onChange }: ChipProps): ReactNode {
  const isOn = value !== undefined;
  const trigger = (
    <button
      type="button"
      className={cx(
        buttonClass(isOn ? "plain" : "quiet"),
        isOn ? "rounded-r-none border-accent! bg-selected!" : "border-dashed! border-line-strong!",
      )}
    >
      {filter.label}
      {isOn && <span className="max-w-48 truncate font-normal text-accent">{wordsOf(filter, value)}</span>}
      {!isOn && <ChevronDown aria-hidden size={12} />}
    </button>
  );
  return (
    <span className="inline-flex">
      <FilterPopup filter={filter} value={value} onChange={onChange} trigger={trigger} />
      {isOn && (
        <button
          type="button"
          aria-label={`Remove the filter ${filter.label}`}
          onClick={() => onChange(undefined)}
          className="-ml-px inline-flex h-7 w-6 items-center justify-center rounded-r-md border border-accent bg-selected text-muted hover:text-text"
        >
          <X aria-hidden size={12} />
        </button>
      )}
    </span>
  );
}

function FilterPopup({
  filter,
  value,
  onChange,
  trigger,
}: ChipProps & { readonly trigger: React.ReactElement<Record<string, unknown>> }): ReactNode {
  if (filter.kind === "text") {
    return (
      <Popover trigger={trigger} label={filter.label} className="w-64 p-2">
        <Input
          key={value}
          defaultValue={value}
          aria-label={filter.label}
          placeholder={filter.placeholder}
          onKeyDown={(event) => {
            if (event.key === "Enter") onChange(event.currentTarget.value.trim());
          }}
          onBlur={(event) => onChange(event.currentTarget.value.trim())}
        />
      </Popover>
    );
  }
  return (
    <ChoiceMenu
      trigger={trigger}
      kind={filter.kind}
      options={filter.options ?? []}
      chosen={value?.split(",") ?? []}
      onChange={(chosen) => onChange(chosen.length === 0 ? undefined : chosen.join(","))}
    />
  );
}

function wordsOf({ options = [] }: Filter, value: string): string {
  return value
    .split(",")
    .map((each) => options.find((option) => option.value === each)?.label ?? each)
    .join(", ");
}
