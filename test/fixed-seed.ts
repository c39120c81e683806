/**
 * Property tests try the same cases on every run, so that a suite that passed passes again. `TEST_SEED=random` looks for new
 * ones; `TEST_SEED=<number>` tries those of a report again.
 */
import fc from "fast-check";

const seed = process.env["TEST_SEED"] ?? "20261101";
if (seed !== "random") fc.configureGlobal({ seed: Number(seed) });
