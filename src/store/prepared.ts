/** A statement that is built once, for those that every call of a tool comes by: building takes longer than the database. */
import type { Compilable, CompiledQuery, Kysely, QueryResult } from "kysely";
import type { Database } from "./database.ts";

type Prepared<Values, Row> = (db: Kysely<Database>, values: Values) => Promise<QueryResult<Row>>;

/** The statement is built with places for the values, by their names. */
export function prepare<Values extends object, Row>(
  build: (place: <Name extends keyof Values>(name: Name) => Values[Name]) => Compilable<Row>,
): Prepared<Values, Row> {
  let compiled: CompiledQuery<Row> | undefined;
  return (db, values) => {
    compiled ??= build((name) => new Place(name) as never).compile();
    const parameters = compiled.parameters.map((value) =>
      value instanceof Place ? values[value.name as keyof Values] : value,
    );
    return db.executeQuery({ ...compiled, parameters });
  };
}

class Place {
  readonly name: PropertyKey;

  constructor(name: PropertyKey) {
    this.name = name;
  }
}
