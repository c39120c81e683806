import { Search, X } from "lucide-react";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { cx } from "./class-names.ts";
import { Kbd } from "./kbd.tsx";
import { useKeys } from "./keys.ts";

/** From the last key to the request, so that a word that is typed is one request. */
const TYPING_MS = 180;

export interface SearchBoxProps {
  /** What was asked for; keep it in the URL. */
  readonly value: string;
  readonly onChange: (text: string) => void;
  /** What it searches: "Search runs". */
  readonly label: string;
  readonly placeholder?: string;
  readonly className?: string;
  readonly autoFocus?: boolean;
}

/** The search of a screen: `/` goes to it, Esc leaves it. */
export function SearchBox({
  value,
  onChange,
  label,
  placeholder,
  className,
  autoFocus,
}: SearchBoxProps): ReactNode {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useTyped(value, onChange);
  useKeys({ "/": { label, group: "This screen", run: () => input.current?.select() } });
  return (
    <div className={cx("relative min-w-0", className ?? "w-64 max-sm:w-full")}>
      <Search aria-hidden size={14} className="pointer-events-none absolute top-[7px] left-2 text-faint" />
      <input
        ref={input}
        type="search"
        aria-label={label}
        placeholder={placeholder ?? label}
        value={text}
        autoComplete="off"
        spellCheck={false}
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- of a screen whose one purpose is the search
        autoFocus={autoFocus}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") event.currentTarget.blur();
        }}
        className="h-7 w-full rounded-md border border-field bg-bg pr-7 pl-7 hover:border-muted [&::-webkit-search-cancel-button]:hidden"
      />
      {text === "" ? (
        <span className="pointer-events-none absolute top-1.5 right-2 flex">
          <Kbd keys="/" />
        </span>
      ) : (
        <button
          type="button"
          aria-label="Clear the search"
          onClick={() => setText("", true)}
          className="absolute top-0.5 right-0.5 inline-flex size-6 items-center justify-center rounded-sm text-muted hover:bg-hover"
        >
          <X aria-hidden size={14} />
        </button>
      )}
    </div>
  );
}

/** What is in the field, which runs ahead of what was asked for. */
function useTyped(value: string, onChange: (text: string) => void) {
  const [typed, setTyped] = useState<string | undefined>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const ask = (text: string) => {
    onChange(text.trim());
    setTyped(undefined);
  };
  const setText = (text: string, atOnce: boolean = false) => {
    clearTimeout(timer.current);
    setTyped(text);
    if (atOnce) ask(text);
    else timer.current = setTimeout(() => ask(text), TYPING_MS);
  };
  return [typed ?? value, setText] as const;
}
