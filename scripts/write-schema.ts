/** `npm run schema`: writes the JSON Schema of the config, the OpenAPI file, and the pages that are made from them and from the commands. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createProgram } from "../src/cli/program.ts";
import { createJsonSchema, formatJsonSchema } from "../src/config/json-schema.ts";
import { VERSION } from "../src/core/version.ts";
import { describeApi } from "../src/operator/openapi.ts";
import { formatCliPage } from "./cli-page.ts";
import { formatConfigurationPage } from "./configuration-page.ts";
import { withServerLists } from "./servers-page.ts";
import { findCitations, withCitations } from "./threats-page.ts";

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");

const FILES = {
  "schema/repertoire.schema.json": formatJsonSchema(),
  "schema/openapi.json": `${JSON.stringify(describeApi(VERSION), null, 2)}\n`,
  "docs/configuration.md": formatConfigurationPage(createJsonSchema()),
  "docs/servers.md": withServerLists(read("docs/servers.md")),
  "docs/cli.md": formatCliPage(createProgram(() => {})),
  "docs/threats.md": withCitations(read("docs/threats.md"), findCitations(join(import.meta.dirname, ".."))),
};

for (const [path, text] of Object.entries(FILES)) writeFileSync(new URL(`../${path}`, import.meta.url), text);
