/** A program: makes a database of the shared server (`create [URL]`), or prints rows (`read URL SQL`). */
import pg from "pg";
import { createDatabase } from "./database-door.ts";

const [what, url, sql] = process.argv.slice(2);
const answer =
  what === "create" ? await createDatabase(url === undefined ? {} : { template: url }) : await read();
process.stdout.write(JSON.stringify(answer));

async function read(): Promise<unknown[]> {
  // Times and counts as numbers, as SQLite gives them.
  pg.types.setTypeParser(pg.types.builtins.INT8, Number);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql!)).rows;
  } finally {
    await client.end();
  }
}
