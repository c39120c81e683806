/** `npm run build`: the bundle and its type declarations, into dist/. */
import { execFileSync } from "node:child_process";
import { bundle } from "./bundle.ts";

await bundle();
execFileSync("tsc", ["-p", "tsconfig.types.json"], { stdio: "inherit" });
