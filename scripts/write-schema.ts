/** `npm run schema`: writes the JSON Schema of the config and the page that is made from it. */
import { writeFileSync } from "node:fs";
import { createJsonSchema, formatJsonSchema } from "../src/config/json-schema.ts";
import { formatConfigurationPage } from "./configuration-page.ts";

writeFileSync(new URL("../schema/repertoire.schema.json", import.meta.url), formatJsonSchema());
writeFileSync(
  new URL("../docs/configuration.md", import.meta.url),
  formatConfigurationPage(createJsonSchema()),
);
