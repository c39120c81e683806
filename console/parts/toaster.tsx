import { CircleCheck, CircleX, Info, X } from "lucide-react";
import { useEffect, useRef, useSyncExternalStore, type ReactNode } from "react";
import { TONE_TEXT } from "./badge.tsx";
import { Button, IconButton } from "./button.tsx";
import { cx } from "./class-names.ts";
import { dismissToast, shownToasts, watchToasts, type ShownToast } from "./toast-store.ts";
import { Visible } from "./visible.tsx";

/** Where toasts appear; once in the page. It is in the top layer, so that an open dialog does not cover it. */
export function Toaster(): ReactNode {
  const toasts = useSyncExternalStore(watchToasts, shownToasts);
  const region = useRef<HTMLElement>(null);
  useEffect(() => {
    const layer = region.current;
    if (layer === null || toasts.length === 0) return;
    layer.showPopover();
    return () => layer.hidePopover();
  }, [toasts]);
  return (
    <section
      ref={region}
      popover="manual"
      aria-label="Messages"
      className="fixed inset-auto right-4 bottom-4 m-0 w-[min(24rem,calc(100vw-2rem))] flex-col gap-2 overflow-visible bg-transparent p-0 open:flex max-sm:bottom-18"
    >
      {toasts.map((each) => (
        <ToastCard key={each.id} toast={each} />
      ))}
    </section>
  );
}

const ICONS = { ok: CircleCheck, fail: CircleX } as const;

function ToastCard({ toast }: { readonly toast: ShownToast }): ReactNode {
  const { id, tone = "idle", title, detail, action } = toast;
  const Icon = tone === "ok" || tone === "fail" ? ICONS[tone] : Info;
  return (
    <div
      role={tone === "fail" ? "alert" : undefined}
      className="flex items-start gap-2 rounded-lg bg-raised py-2 pr-1.5 pl-3 text-text shadow-pop"
    >
      <Icon aria-hidden size={16} className={cx("mt-0.5 shrink-0", TONE_TEXT[tone])} />
      <div className="min-w-0 flex-1 py-px">
        <p className="foreign font-medium">
          <Visible text={title} max={400} />
        </p>
        {detail !== undefined && (
          <p className="foreign text-muted">
            <Visible text={detail} max={600} />
          </p>
        )}
      </div>
      {action !== undefined && (
        <Button size="sm" onClick={action.run}>
          {action.label}
        </Button>
      )}
      <IconButton size="sm" icon={X} label="Dismiss" onClick={() => dismissToast(id)} />
    </div>
  );
}
