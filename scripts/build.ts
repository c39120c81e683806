/** `npm run build`: the bundle and its type declarations, into dist/. */
import { bundle } from "./bundle.ts";
import { writeDeclarations } from "./declarations.ts";

await bundle();
writeDeclarations();
