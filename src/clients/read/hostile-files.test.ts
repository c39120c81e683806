/** Files that anyone may have written: whatever is in them, nothing throws and what is planned loads. */
import fc from "fast-check";
import { stringify } from "smol-toml";
import { expect, test } from "vitest";
import { listClientFiles } from "../client.ts";
import { createClientsHome } from "../clients-home.testkit.ts";
import { withInputs } from "../import/plain-secrets.ts";
import { planImport } from "../import/plan-import.ts";
import { readClients } from "./read-clients.ts";

const WORDS = [
  ..."x,,~,npx,mcp-remote,https://h/sse?token=t,https://u:p@h/,--api-key=abcdefghij,--token".split(","),
  ..."${SET},${env:SET},${env:NO},${input:a b},$SET,$${x},${,Bearer abcdefghij,a\0b,a\nb".split(","),
];
const KEYS = (
  "command args env cwd type url httpUrl serverUrl headers http_headers env_http_headers bearer_token_env_var disabled " +
  "enabled timeout tool_timeout_sec tools includeTools excludeTools oauth alwaysAllow transport env_vars scopes __proto__"
).split(" ");
const SERVER_KEYS = ["a", "A", "mcp", "con", "é", "repertoire", "b".repeat(200), "c\n", "constructor"];

const word = fc.constantFrom(...WORDS);
const value = fc.letrec((tie) => ({
  any: fc.oneof({ maxDepth: 2 }, word, fc.double(), fc.boolean(), tie("list"), tie("object")),
  list: fc.array(tie("any"), { maxLength: 3 }),
  object: fc.dictionary(fc.constantFrom("type", "name", "id", "TOKEN", "Authorization", "a=b"), tie("any"), {
    maxKeys: 3,
  }),
})).any;
const odd = fc.dictionary(fc.constantFrom(...KEYS), value, { maxKeys: 6 });
/** Right enough to get far. */
const likely = fc.record(
  {
    command: word,
    url: word,
    args: fc.array(word, { maxLength: 4 }),
    env: fc.dictionary(fc.constantFrom("TOKEN", "PATH", "A B"), word, { maxKeys: 2 }),
    headers: fc.dictionary(fc.constantFrom("Authorization", "authorization", "X"), word, { maxKeys: 2 }),
    disabled: fc.boolean(),
  },
  { requiredKeys: [] },
);
const servers = fc.dictionary(fc.constantFrom(...SERVER_KEYS), fc.oneof(likely, odd, value), { maxKeys: 5 });

test("wrong types anywhere never throw, and what is planned loads, with its secrets in place or moved", () => {
  const home = createClientsHome({ SET: "set" });
  const files = listClientFiles(home.place);
  let additionCount = 0;
  fc.assert(
    fc.property(fc.constantFrom(...files), servers, value, (file, table, other) => {
      const content = {
        mcpServers: table,
        mcp_servers: table,
        servers: table,
        inputs: other,
        mcp: { excluded: other },
      };
      const path = file.path.slice(home.place.homedir.length + 1);
      home.write(path, file.format === "toml" ? stringify(content) : content);
      const { servers: found } = readClients(home.place);
      home.write(path, "");
      const plan = planImport({ found, existing: {}, env: home.place.env });
      additionCount += plan.additions.length;
      expect(plan.additions.length + plan.duplicates.length + plan.skipped.length).toBe(found.length);
      expect(home.load(plan)).toEqual([]);
      const moved = plan.additions.map((addition) => {
        return { ...addition, entry: withInputs(addition.entry, addition.secrets).entry };
      });
      expect(home.load({ additions: moved })).toEqual([]);
    }),
    { numRuns: 60 },
  );
  // Else the test looked at nothing.
  expect(additionCount).toBeGreaterThan(10);
});

test("any text as a file never throws", () => {
  const home = createClientsHome();
  const text = fc.array(
    fc.constantFrom("{", "}", "[", "]", '"', ":", ",", "a", "=", "\n", "mcp_servers", "//", "\\"),
  );
  fc.assert(
    fc.property(fc.constantFrom(".cursor/mcp.json", ".codex/config.toml"), text, (path, parts) => {
      home.write(path, parts.join(""));
      expect(readClients(home.place).servers).toBeInstanceOf(Array);
      home.write(path, "");
    }),
  );
});
