/**
 * The console as files of its own origin: hashed names, no inline script and no inline style, so that `default-src 'self'` is
 * all that its page needs. Nothing is fetched from elsewhere.
 */
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { join } from "node:path";
import { defineConfig } from "vite";

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
    // What the page cannot be drawn without is one file: small shared ones pack worse, and come one after another.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: "shell", tags: ["$initial"] }] } } },
    // The editor is one thing, and comes when it is needed.
    chunkSizeWarningLimit: 700,
    // `scripts/console-size.ts` reads from it what the first paint loads.
    manifest: "manifest.json",
    reportCompressedSize: false,
  },
});
