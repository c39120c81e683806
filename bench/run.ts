/**
 * `npm run bench`: figures of this machine, as ratios to something that runs beside us. `-- startup relay` runs these parts
 * alone, `-- --json FILE` writes the figures there.
 */
import { cpus } from "node:os";
import { benchStartup } from "./startup.ts";
import { benchJournal } from "./journal.ts";
import { benchLibrary } from "./library.ts";
import { benchListing } from "./listing.ts";
import { benchRelay } from "./relay.ts";
import { argsWithoutResult, writeResult } from "./result-file.ts";
import { benchStore } from "./store.ts";
import { benchTokens } from "./tokens.ts";
import { benchTrust } from "./trust.ts";

const PARTS = {
  tokens: benchTokens,
  startup: benchStartup,
  store: benchStore,
  journal: benchJournal,
  relay: benchRelay,
  trust: benchTrust,
  listing: benchListing,
  library: benchLibrary,
};

console.log(`Node ${process.version}, ${cpus().length} cores`);
const asked = argsWithoutResult(process.argv.slice(2));
const unknown = asked.filter((part) => !Object.hasOwn(PARTS, part));
if (unknown.length > 0)
  throw new Error(`There is no part ${unknown.join(", ")}; there are ${Object.keys(PARTS).join(", ")}.`);
const figures: Record<string, unknown> = {};
for (const [name, bench] of Object.entries(PARTS)) {
  if (asked.length === 0 || asked.includes(name)) figures[name] = await bench();
}
writeResult("bench", figures);
