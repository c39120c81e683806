/** docs/configuration.md, made from the JSON Schema of the config: what is documented is what is checked. */
interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
}

const INTRODUCTION = `# Configuration

<!-- Made by \`npm run schema\` from src/config/schema.ts; a test keeps it true. -->

\`repertoire.json\` is JSON with comments and trailing commas. There are two: your own in the user's config folder
(\`$XDG_CONFIG_HOME/repertoire/\`, by default \`~/.config/repertoire/\`), and that of the project folder. They are [merged](#two-files); \`--config FILE\` is read instead of both.
\`repertoire config path\` tells which files count, \`repertoire config check\` what is wrong with them.

- **Variables**: \`\${VAR}\`, \`\${VAR:-default}\` and \`\${env:VAR}\` in string values are replaced once; \`$\${\` is a literal \`\${\`. A variable that is not set
  is a problem of the server that takes it, and elsewhere an error.
- **Problems**: what is wrong with one server (a variable that is not set, a field of the wrong type) keeps that server from being started and nothing else; it is listed with the cause and the
  cure. An unknown key of a server is a warning, an unknown key elsewhere an error. [A server that is not usable](servers.md#a-server-that-is-not-usable)
- **Other clients**: entries that are copied from another client's file are understood. [Entries from other clients](servers.md#entries-from-other-clients)
- **Inputs**: \`\${input:ID}\` stands for a value that is given once, with \`repertoire input set ID\` or when \`repertoire call\` needs it, and that is kept with the secrets. A server
  that lacks one is listed and not started until it has it. [Inputs](servers.md#inputs)
- **Environment**: \`<NAME>_MCP_URL\` adds a remote server or replaces the url of one, \`<NAME>_API_KEY\` is sent to it as a bearer token unless the file gives an
  Authorization, \`<NAME>_MCP_ENABLED=false\` switches it off.
- **Trust**: a file found in a project folder has no effect until \`repertoire trust\`: it adds nothing and takes nothing away, even if it is broken. Its servers are listed as waiting, for people and for
  agents. A changed file must be trusted again. Your own file and \`--config\` need no trust.
- **Reload**: a changed file is taken over without dropping clients; one that is broken as a whole keeps the old config and says so in the log.
- **Store**: \`store.url\`, or \`REPERTOIRE_DATABASE_URL\`, which wins, names a PostgreSQL database that several gateways share; without either, the store is a file in the home. The URL is shown nowhere:
  messages name its host and database. It is read once, when the gateway starts. \`REPERTOIRE_REPLICA_URL\` is where the other gateways reach this one, by default the address that it listens on, or
  \`http://<hostname>:<port>\` where it listens on all. [Operating](operating.md#the-store)
- **Registry**: \`registry.url\`, or \`REPERTOIRE_REGISTRY_URL\`, which wins, is the MCP registry that \`repertoire search\` and \`repertoire add NAME\` ask; without either, the official one. No gateway asks it.
  [Adding by name](servers.md#adding-by-name)
- **Home**: \`REPERTOIRE_HOME\` or \`--home\`, by default \`$XDG_DATA_HOME/repertoire\` (\`~/.local/share/repertoire\`).

[Profiles](profiles.md) are views of the gateway for clients that should see less or something else.

## Two files

In a project folder with a \`repertoire.json\` that is trusted, both files count and the nearer one wins:

| what | how the two are merged |
|---|---|
| \`mcpServers\` | by server id: the project's entry replaces your own as a whole, \`enabled\` and \`tools\` included. \`repertoire trust\` shows which it replaces |
| \`inputs\` | by id: the project's declaration counts. Values belong to ids and not to files |
| \`exposure\`, and each setting such as \`limits.callTimeoutMs\` or \`workflows.llm\` | the project's counts, as a whole: no key of one file is sent to an address of the other |
| \`profiles\` | by name: your own stays |
| \`workflows.allowShell\`, \`workflows.allowPrivateHttp\` | \`false\` in your own file stays \`false\` |
| \`trust\`, and that of a server | a project can be more careful than your own file, and not less |
| \`tools.suspicious\`, \`library.changedTools\` | \`"block"\` and \`"refuse"\` in your own file stay |
| \`workflows.fileRoots\`, \`http.host\`, \`http.publicUrl\`, \`http.allowedHosts\`, \`http.allowedOrigins\`, \`http.oauth\`, \`http.console\`, \`registry.url\`, \`store.url\` | what your own file says stays |

Where your own file says nothing, a trusted project decides: you have seen its settings when you trusted it. A setting of a project that has no effect for one of these reasons is a warning.

\`repertoire add\` writes to the project's file if it is trusted, else to your own; \`remove\`, \`enable\` and \`disable\` change the server where it stands. Each says which file that is.

## Keys
`;

export function formatConfigurationPage(schema: Schema): string {
  const rows = rowsOf(schema, "").map(
    ({ path, type, usual, description }) => `| \`${path}\` | ${type} | ${usual} | ${description} |`,
  );
  return `${INTRODUCTION}\n| key | value | default | meaning |\n|---|---|---|---|\n${rows.join("\n")}\n`;
}

interface Row {
  readonly path: string;
  readonly type: string;
  readonly usual: string;
  readonly description: string;
}

function rowsOf(schema: Schema, path: string): Row[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([key, child]) => {
    const childPath = path === "" ? key : `${path}.${key}`;
    const row = {
      path: childPath,
      type: typeOf(child),
      usual: defaultOf(child),
      description: cellOf(child.description ?? ""),
    };
    return [row, ...rowsOf(child, childPath)];
  });
  const values = schema.additionalProperties;
  const named = typeof values === "object" ? rowsOf(values, `${path}.<name>`) : [];
  const listed = schema.items === undefined ? [] : rowsOf(schema.items, `${path}[]`);
  return [...own, ...named, ...listed];
}

function typeOf(schema: Schema): string {
  const choices = schema.enum ?? schema.anyOf?.find((branch) => branch.enum !== undefined)?.enum;
  if (choices !== undefined) return choices.map((choice) => `\`"${choice}"\``).join(", ");
  if (schema.type === "array") return `list of ${schema.items?.type ?? "value"}s`;
  if (schema.type === "integer") return `whole number, ${schema.minimum} to ${schema.maximum}`;
  return schema.type ?? "any";
}

function defaultOf(schema: Schema): string {
  const isSection = schema.type === "object";
  return schema.default === undefined || isSection ? "" : `\`${JSON.stringify(schema.default)}\``;
}

function cellOf(text: string): string {
  return text.replaceAll("|", "\\|");
}
