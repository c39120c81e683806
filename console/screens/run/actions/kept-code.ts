/** Code that somebody began to mend, by its run: closing the dialog with Esc loses nothing. Of this page only. */
const kept = new Map<string, string>();
/** More edited sources than a person works on at once. */
const KEPT_MAX = 20;

export const keptCode = {
  read: (run: string): string | undefined => kept.get(run),
  write(run: string, code: string): void {
    kept.delete(run);
    kept.set(run, code);
    if (kept.size > KEPT_MAX) kept.delete(kept.keys().next().value!);
  },
};
