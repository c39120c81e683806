import { expect, it } from "vitest";
import { CONTRACT } from "./contract/contract.ts";
import { PERMISSION_OF, ROUTES, TOPICS_OF } from "./routes.ts";

const endpoints = Object.entries(CONTRACT);

it("has a route for each endpoint of the contract, and no other", () => {
  expect(Object.keys(ROUTES).sort()).toEqual(Object.keys(CONTRACT).sort());
});

it("tells the console what each answer goes stale with, as the contract has it", () => {
  const topics = endpoints.flatMap(([name, { topics: own }]) => (own === undefined ? [] : [[name, own]]));
  expect(TOPICS_OF).toEqual(Object.fromEntries(topics));
});

it("tells the console which permission each route asks for, as the contract has it", () => {
  const more = endpoints.flatMap(([name, { permission }]) =>
    permission === "read" ? [] : [[name, permission]],
  );
  expect(PERMISSION_OF).toEqual(Object.fromEntries(more));
});
