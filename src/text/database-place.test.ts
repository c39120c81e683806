import { expect, it } from "vitest";
import { placeOfDatabase } from "./database-place.ts";

it.each([
  ["postgres://user:password@localhost:5432/a", "localhost:5432/a"],
  ["postgresql://u@h/a%20b?host=/var/run/postgresql", "/var/run/postgresql/a b"],
  ["postgres://%2Frun%2Fpg/a", "/run/pg/a"],
  ["postgres:///a", "localhost/a"],
  ["postgres://[::1]:1/a?sslmode=require&password=x", "[::1]:1/a"],
  ["no url with a password", "the PostgreSQL database"],
])("shows %s as %s", (url, place) => {
  expect(placeOfDatabase(url)).toBe(place);
});
