import { expect, it } from "vitest";
import { findIssuerProblem } from "./http.ts";

it.each([
  "https://id.example",
  "https://id.example/realms/a",
  "http://localhost:8080",
  "http://127.0.0.1:1",
  "http://[::1]:1",
])("%s can be an issuer", (url) => {
  expect(findIssuerProblem(url)).toBeUndefined();
});

it.each([
  "http://id.example",
  "http://localhost.evil.example",
  "http://127.0.0.1.evil.example",
  "ftp://id.example",
  "id.example",
])("T125: %s cannot: anybody on the way could speak for it", (url) => {
  expect(findIssuerProblem(url)).toBeDefined();
});
