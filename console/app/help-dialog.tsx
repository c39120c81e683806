import { useState, type ReactNode } from "react";
import { Dialog } from "../parts/dialog.tsx";
import { Checkbox } from "../parts/field.tsx";
import { Kbd } from "../parts/kbd.tsx";
import { listKeys, useSingleKeys } from "../parts/keys.ts";

const ORDER = ["This screen", "Lists", "Everywhere", "Go to"];

/** Every key that does something on this screen. */
export function HelpDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [known] = useState(listKeys);
  const [isOn, setOn] = useSingleKeys();
  const groups = Object.groupBy(known, ({ binding }) => binding.group ?? "This screen");
  const named = Object.keys(groups).toSorted((one, other) => rankOf(one) - rankOf(other));
  return (
    <Dialog open onClose={onClose} title="Keys">
      <div className="grid gap-x-8 gap-y-4 sm:grid-cols-2">
        {named.map((group) => (
          <section key={group}>
            <h3 className="mb-1 text-xs text-muted">{group}</h3>
            <dl>
              {groups[group]?.map(({ keys, binding }) => (
                <div key={keys} className="flex items-center justify-between gap-4 py-0.5">
                  <dt>{binding.label}</dt>
                  <dd className="flex">
                    <Kbd keys={keys} />
                    <span className="sr-only">{keys}</span>
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <div className="mt-4 border-t border-line pt-3">
        <Checkbox
          label="Single letters are commands"
          checked={isOn}
          onChange={(event) => setOn(event.target.checked)}
        />
      </div>
    </Dialog>
  );
}

function rankOf(group: string): number {
  const at = ORDER.indexOf(group);
  return at === -1 ? 0 : at;
}
