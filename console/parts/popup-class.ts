/** What menus and popovers look like. */
export const POPUP_CLASS =
  "max-h-[var(--available-height)] min-w-44 overflow-auto rounded-lg bg-raised p-1 text-sm text-text shadow-pop outline-none";

export const POPUP_ITEM_CLASS =
  "flex h-7 w-full cursor-default items-center gap-2 rounded-md px-2 text-left outline-none select-none data-disabled:text-faint data-highlighted:bg-hover";
