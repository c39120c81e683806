/** Tasks with databases. */
import { both, json, rows, text, type Task } from "./task.ts";

const shop = { connectionId: "c1", database: "shop" };

const SALES = rows(200, (index) => ({
  order_id: 70_000 + index,
  customer: `customer-${(index * 37) % 53}@mail.example`,
  country: ["DE", "FR", "PL", "ES"][index % 4]!,
  net_cents: 1_500 + ((index * 977) % 9_000),
  ordered_at: `2026-09-${String(1 + (index % 30)).padStart(2, "0")}`,
}));
const BY_COUNTRY = Object.fromEntries(
  ["DE", "FR", "PL", "ES"].map((country) => [
    country,
    SALES.filter((sale) => sale.country === country).reduce((total, { net_cents }) => total + net_cents, 0),
  ]),
);

const COLLECTIONS = "baskets customers events invoices mails orders prices returns stock vouchers".split(" ");
const countOf = (index: number): number => 1_000 + index * 731;

const TABLES = rows(
  14,
  (index) =>
    `${["order", "invoice", "stock", "price", "mail", "return", "basket"][index % 7]}_${index < 7 ? "items" : "log"}`,
);

const sql = (query: string) => ({ sql: query });

export const DATABASE_TASKS: readonly Task[] = [
  {
    id: "table-columns",
    kind: "one",
    intent: "Which columns does the customers table of the SQLite file have?",
    queries: ["describe the columns of a SQLite table"],
    calls: [
      {
        server: "sqlite",
        tool: "describe_table",
        args: { table_name: "customers" },
        answer: json(
          ["id", "mail", "name", "country", "created_at"].map((name, cid) => ({
            cid,
            name,
            type: cid === 0 ? "INTEGER" : "TEXT",
            notnull: 1,
            dflt_value: null,
            pk: cid === 0 ? 1 : 0,
          })),
        ),
      },
    ],
    code: `const columns = await mcp.sqlite.describe_table({ table_name: "customers" }) as any[];
return columns.map((column) => column.name);`,
    result: ["id", "mail", "name", "country", "created_at"],
  },
  {
    id: "count-orders",
    kind: "one",
    intent: "How many paid orders are in MongoDB?",
    queries: ["count documents in a MongoDB collection"],
    calls: [
      {
        server: "mongodb",
        tool: "count",
        args: { ...shop, collection: "orders", query: { state: "paid" } },
        answer: {
          ...text('Found 41806 documents in the collection "orders".'),
          structuredContent: { count: 41_806 },
        },
      },
    ],
    code: `const { count } = await mcp.mongodb.count({ connectionId: "c1", database: "shop", collection: "orders", query: { state: "paid" } });
return count;`,
    result: 41_806,
  },
  {
    id: "voucher-column",
    kind: "sequence",
    intent:
      "Add a voucher column to the orders table of the SQLite file if it has none, and say how many columns there are.",
    queries: ["describe a table and change it in SQLite"],
    calls: [
      {
        server: "sqlite",
        tool: "describe_table",
        args: { table_name: "orders" },
        answer: json(
          ["id", "customer", "total"].map((name, cid) => ({
            cid,
            name,
            type: "TEXT",
            notnull: 0,
            dflt_value: null,
            pk: 0,
          })),
        ),
      },
      {
        server: "sqlite",
        tool: "write_query",
        args: { query: "alter table orders add column voucher text" },
        answer: json({ affected_rows: 0 }),
      },
    ],
    code: `const columns = await mcp.sqlite.describe_table({ table_name: "orders" }) as any[];
if (columns.some((column) => column.name === "voucher")) return columns.length;
await mcp.sqlite.write_query({ query: "alter table orders add column voucher text" });
return columns.length + 1;`,
    result: 4,
  },
  {
    id: "newest-index",
    kind: "sequence",
    intent: "Which service logged most errors in the newest web index of Elasticsearch?",
    queries: ["list Elasticsearch indices and search one"],
    inputs: { pattern: "web-*" },
    calls: [
      {
        server: "elasticsearch",
        tool: "list_indices",
        args: { indexPattern: "web-*" },
        answer: {
          content: [
            { type: "text", text: "Found 10 indices" },
            {
              type: "text",
              text: JSON.stringify(
                rows(10, (index) => ({
                  index: `web-2026.${String(index + 1).padStart(2, "0")}`,
                  health: "green",
                  status: "open",
                  docsCount: 40_000 + index,
                })),
                null,
                2,
              ),
            },
          ],
        },
      },
      {
        server: "elasticsearch",
        tool: "search",
        args: {
          index: "web-2026.10",
          queryBody: {
            query: { term: { level: "error" } },
            size: 0,
            aggs: { services: { terms: { field: "service" } } },
          },
        },
        answer: json({
          took: 4,
          timed_out: false,
          hits: { total: { value: 60, relation: "eq" }, max_score: null, hits: [] },
          aggregations: {
            services: {
              buckets: [
                { key: "mail", doc_count: 31 },
                { key: "search", doc_count: 29 },
              ],
            },
          },
        }),
      },
    ],
    code: `const blocks = await mcp.elasticsearch.list_indices({ indexPattern: args.pattern }) as any[];
const index = JSON.parse(blocks[1].text).map((entry: any) => entry.index).sort().at(-1);
const found = await mcp.elasticsearch.search({ index, queryBody: { query: { term: { level: "error" } }, size: 0, aggs: { services: { terms: { field: "service" } } } } }) as any;
return found.aggregations.services.buckets[0].key;`,
    result: "mail",
  },
  {
    id: "customer-history",
    kind: "sequence",
    intent: "Find customer Okafor in Postgres and say what she spent and when she last ordered.",
    queries: ["run a read-only SQL query in PostgreSQL"],
    inputs: { name: "Okafor" },
    calls: [
      {
        server: "postgres",
        tool: "query",
        args: sql("select id, name, mail from customers where name ilike '%Okafor%'"),
        answer: json([{ id: 118, name: "Ada Okafor", mail: "ada@mail.example" }]),
      },
      {
        server: "postgres",
        tool: "query",
        args: sql(
          "select sum(net_cents) as cents, max(ordered_at) as last from orders where customer_id = 118",
        ),
        answer: json([{ cents: 48_250, last: "2026-09-28" }]),
      },
    ],
    code: `const [customer] = await mcp.postgres.query({ sql: \`select id, name, mail from customers where name ilike '%\${args.name}%'\` }) as any[];
const [spent] = await mcp.postgres.query({ sql: \`select sum(net_cents) as cents, max(ordered_at) as last from orders where customer_id = \${customer.id}\` }) as any[];
return { name: customer.name, cents: spent.cents, last: spent.last };`,
    result: { name: "Ada Okafor", cents: 48_250, last: "2026-09-28" },
  },
  {
    id: "sales-by-country",
    kind: "loop",
    intent: "Sum the September orders in the SQLite file by country.",
    queries: ["read rows from a SQLite database"],
    calls: [
      {
        server: "sqlite",
        tool: "read_query",
        args: { query: "select * from orders where ordered_at like '2026-09-%'" },
        answer: json(SALES),
      },
    ],
    code: `const orders = await mcp.sqlite.read_query({ query: "select * from orders where ordered_at like '2026-09-%'" }) as any[];
const cents: Record<string, number> = {};
for (const { country, net_cents } of orders) cents[country] = (cents[country] ?? 0) + net_cents;
return cents;`,
    result: BY_COUNTRY,
  },
  {
    id: "collection-sizes",
    kind: "loop",
    intent: "Which MongoDB collection of the shop has most documents?",
    queries: ["list MongoDB collections and count their documents"],
    inputs: { connectionId: "c1", database: "shop" },
    calls: [
      {
        server: "mongodb",
        tool: "list-collections",
        args: shop,
        answer: both({ collections: COLLECTIONS.map((name) => ({ name })), totalCount: COLLECTIONS.length }),
      },
      ...COLLECTIONS.map((collection, index) => ({
        server: "mongodb",
        tool: "count",
        args: { ...shop, collection },
        answer: {
          ...text(`Found ${countOf(index)} documents in the collection "${collection}".`),
          structuredContent: { count: countOf(index) },
        },
      })),
    ],
    code: `const { connectionId, database } = args;
const { collections } = await mcp.mongodb.list_collections({ connectionId, database });
const counts = await Promise.all(collections.map(({ name }) => mcp.mongodb.count({ connectionId, database, collection: name })));
const sizes = collections.map(({ name }, index) => ({ name, count: counts[index].count }));
return sizes.sort((one, other) => other.count - one.count)[0];`,
    result: { name: "vouchers", count: countOf(9) },
  },
  {
    id: "empty-tables",
    kind: "loop",
    intent: "Which tables of the public schema are empty?",
    queries: ["list database tables and run SQL on each"],
    inputs: { schema: "public" },
    calls: [
      {
        server: "dbhub",
        tool: "search_objects",
        args: { object_type: "table", schema: "public", detail_level: "names", limit: 100 },
        answer: json({
          success: true,
          data: {
            object_type: "table",
            pattern: "%",
            schema: "public",
            detail_level: "names",
            count: TABLES.length,
            results: TABLES.map((name) => ({ name, schema: "public" })),
            truncated: false,
          },
        }),
      },
      ...TABLES.map((name, index) => ({
        server: "dbhub",
        tool: "execute_sql",
        args: sql(`select count(*) as n from public.${name}`),
        answer: json({
          success: true,
          data: { rows: [{ n: index % 5 === 0 ? 0 : index * 211 }], count: 1, source_id: "default" },
        }),
      })),
    ],
    code: `const { schema } = args;
const found = await mcp.dbhub.search_objects({ object_type: "table", schema, detail_level: "names", limit: 100 }) as any;
const empty = await Promise.all(found.data.results.map(async ({ name }: any) => {
  const counted = await mcp.dbhub.execute_sql({ sql: \`select count(*) as n from \${schema}.\${name}\` }) as any;
  return counted.data.rows[0].n === 0 ? name : null;
}));
return empty.filter((name) => name !== null);`,
    result: TABLES.filter((_, index) => index % 5 === 0),
  },
];
