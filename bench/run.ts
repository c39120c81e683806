/** `npm run bench`: figures of this machine, as ratios to something that runs beside us. */
import { cpus } from "node:os";
import { benchStartup } from "./startup.ts";
import { benchJournal } from "./journal.ts";
import { benchLibrary } from "./library.ts";
import { benchListing } from "./listing.ts";
import { benchRelay } from "./relay.ts";
import { benchStore } from "./store.ts";
import { benchTrust } from "./trust.ts";

console.log(`Node ${process.version}, ${cpus().length} cores`);
await benchStartup();
await benchStore();
await benchJournal();
await benchRelay();
await benchTrust();
await benchListing();
await benchLibrary();
