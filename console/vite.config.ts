/**
 * The console as files of its own origin: hashed names, no inline script and no inline style, so that `default-src 'self'` is
 * all that its page needs. Nothing is fetched from elsewhere.
 */
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { join } from "node:path";
import { defineConfig } from "vite";

type ModuleLook = (id: string) => { readonly importedIds: readonly string[] } | null;

/** What the page cannot be drawn without is one file: small shared ones pack worse, and come one after another. */
function createShellGroup() {
  const entry = join(import.meta.dirname, "app/main.tsx");
  let shell: ReadonlySet<string> | undefined;
  return {
    debugName: "shell",
    name(id: string, context: { getModuleInfo: ModuleLook }): string | null {
      shell ??= reachedFrom(entry, (each) => context.getModuleInfo(each));
      return shell.has(id) && !ONLY_SOMETIMES.test(id) ? "shell" : null;
    },
  };
}

/** The index of a package imports everything in it: these are needed by some screens, and only there. */
const ONLY_SOMETIMES = /lucide-react\/dist\/esm\/icons\/|infinite|\/api\/pages\.ts$/i;

function reachedFrom(entry: string, getModuleInfo: ModuleLook): ReadonlySet<string> {
  const reached = new Set([entry]);
  for (const id of reached) for (const next of getModuleInfo(id)?.importedIds ?? []) reached.add(next);
  return reached;
}

export default defineConfig({
  root: import.meta.dirname,
  base: "/console/",
  plugins: [react(), tailwindcss()],
  logLevel: "warn",
  build: {
    outDir: join(import.meta.dirname, "../dist/console"),
    emptyOutDir: true,
    // Browsers that know light-dark() and <dialog>.
    target: ["chrome125", "firefox128", "safari18"],
    // A data: URL in CSS or a script would need more than 'self'.
    assetsInlineLimit: 0,
    // The names of what each screen loads would be in the shell; on the way from this machine they save nothing.
    modulePreload: {
      polyfill: false,
      resolveDependencies: (_, files, { hostType }) =>
        hostType === "html" ? files : files.filter((file) => file.endsWith(".css")),
    },
    rolldownOptions: { output: { codeSplitting: { groups: [createShellGroup()] } } },
    // The editor is one thing, and comes when it is needed.
    chunkSizeWarningLimit: 700,
    // `scripts/console-size.ts` reads from it what the first paint loads.
    manifest: "manifest.json",
    reportCompressedSize: false,
  },
});
