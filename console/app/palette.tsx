/** Everything by name: screens, commands, servers, tools, runs and what was saved. Enter opens it, Mod-Enter copies its command. */
import { Command } from "cmdk";
import { useDeferredValue, useState, type KeyboardEvent, type ReactNode } from "react";
import { copyText } from "../parts/copy-button.tsx";
import { ModalFrame } from "../parts/dialog.tsx";
import { Kbd } from "../parts/kbd.tsx";
import { toast } from "../parts/toast-store.ts";
import { Visible } from "../parts/visible.tsx";
import { useOwnEntries } from "./palette-entries.ts";
import { rankEntries, type Entry } from "./palette-entry.ts";
import { useFoundEntries, useRecentEntries, type EntryGroup } from "./palette-found.tsx";
import { keepRecent, loadRecent } from "./palette-recent.ts";
import type { Overlay } from "./shell.tsx";

interface PaletteProps {
  readonly onClose: () => void;
  readonly onOpen: (overlay: Overlay) => void;
}

export function Palette({ onClose, onOpen }: PaletteProps): ReactNode {
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState("");
  const groups = useGroups(useDeferredValue(text.trim()), onOpen);
  const entries = groups.flatMap((group) => group.entries);
  const selected = entries.find(({ id }) => id === chosen) ?? entries[0];
  const open = (entry: Entry) => {
    keepRecent(entry);
    onClose();
    entry.run();
  };
  const copy = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || !(event.metaKey || event.ctrlKey)) return;
    event.preventDefault();
    if (selected?.command === undefined) return;
    onClose();
    void copyCommand(selected.command);
  };
  return (
    <ModalFrame label="Search and commands" onClose={onClose} className="mt-[12vh] w-[38rem]">
      <Command
        shouldFilter={false}
        label="Search and commands"
        value={selected?.id ?? ""}
        onValueChange={setChosen}
        onKeyDown={copy}
        className="flex min-h-0 flex-col"
      >
        <Command.Input
          value={text}
          onValueChange={setText}
          placeholder="Search tools, runs, servers, library, commands…"
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- it was opened to type into
          autoFocus
          className="h-11 shrink-0 border-b border-line bg-transparent px-4 text-base outline-none"
        />
        <Command.List className="max-h-[50vh] min-h-0 overflow-auto p-1.5">
          <Command.Empty className="px-3 py-6 text-center text-muted">Nothing has this name.</Command.Empty>
          {groups.map((group) => (
            <PaletteGroup key={group.heading} group={group} onChoose={open} />
          ))}
        </Command.List>
        <PaletteFoot selected={selected} />
      </Command>
    </ModalFrame>
  );
}

/** With a text, what has this name; without one, what was opened lately and everything of the console itself. */
function useGroups(text: string, onOpen: (overlay: Overlay) => void): readonly EntryGroup[] {
  const [recentIds] = useState(() => loadRecent().map(({ id }) => id));
  const own = useOwnEntries(onOpen);
  const found = useFoundEntries(text, recentIds);
  const recent = useRecentEntries(own);
  const ranked = rankEntries(own, text, recentIds);
  if (text !== "") return [...found, { heading: "Screens and commands", entries: ranked }];
  const isRecent = new Set(recent.map(({ id }) => id));
  return [
    { heading: "Lately", entries: recent },
    { heading: "Screens and commands", entries: ranked.filter(({ id }) => !isRecent.has(id)) },
  ];
}

async function copyCommand(command: string): Promise<void> {
  if (await copyText(command)) toast({ tone: "ok", title: "The command is copied", detail: command });
}

const GROUP_CLASS =
  "[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-muted";

function PaletteGroup({
  group: { heading, entries },
  onChoose,
}: {
  readonly group: EntryGroup;
  readonly onChoose: (entry: Entry) => void;
}): ReactNode {
  if (entries.length === 0) return null;
  return (
    <Command.Group heading={heading} className={GROUP_CLASS}>
      {entries.map((entry) => (
        <Command.Item
          key={entry.id}
          value={entry.id}
          onSelect={() => onChoose(entry)}
          className="flex h-8 cursor-default items-center gap-2.5 rounded-md px-2.5 data-[selected=true]:bg-selected"
        >
          <entry.icon aria-hidden size={15} className="shrink-0 text-muted" />
          <span className="min-w-0 flex-1 truncate">
            <Visible text={entry.label} max={120} />
          </span>
          {entry.aside !== undefined && (
            <span className="max-w-56 truncate text-xs text-muted max-sm:hidden">{entry.aside}</span>
          )}
          {entry.keys !== undefined && <Kbd keys={entry.keys} />}
        </Command.Item>
      ))}
    </Command.Group>
  );
}

/** The command of what is chosen, and the two keys. */
function PaletteFoot({ selected }: { readonly selected: Entry | undefined }): ReactNode {
  const command = selected?.command;
  return (
    <div className="flex h-9 shrink-0 items-center gap-3 border-t border-line px-4 text-xs text-muted">
      <code className="min-w-0 flex-1 truncate font-mono">
        {command !== undefined && <Visible text={command} max={200} />}
      </code>
      <span className="flex shrink-0 items-center gap-1 max-sm:hidden">
        Open <Kbd keys="Enter" />
      </span>
      {command !== undefined && (
        <span className="flex shrink-0 items-center gap-1 max-sm:hidden">
          Copy the command <Kbd keys="mod+Enter" />
        </span>
      )}
    </div>
  );
}
