/** `npm run schema`: writes the JSON Schema of the config, which editors and the package's users read. */
import { writeFileSync } from "node:fs";
import { formatJsonSchema } from "../src/config/json-schema.ts";

writeFileSync(new URL("../schema/repertoire.schema.json", import.meta.url), formatJsonSchema());
