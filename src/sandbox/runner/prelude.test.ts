import { describe } from "vitest";
import { PRELUDE_TEXT } from "./prelude.ts";
import { describePrelude } from "./prelude.testsuite.ts";

describe("the guest's side, from the source", () => {
  describePrelude(() => PRELUDE_TEXT);
});
