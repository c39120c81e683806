import { expect, it } from "vitest";
import { takesForms } from "./declared.ts";

it.each([
  [{}, false],
  [{ elicitation: {} }, true],
  [{ elicitation: { form: {} } }, true],
  [{ elicitation: { form: {}, url: {} } }, true],
  [{ elicitation: { url: {} } }, false],
  [{ elicitation: true }, false],
])("a person behind a client with %j can be shown a form: %s", (capabilities, expected) => {
  expect(takesForms(capabilities)).toBe(expected);
});
