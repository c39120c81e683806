import { bundle } from "../scripts/bundle.ts";

/** Tests that start the gateway as a process start the bundle that users get, so it is built once before all tests. */
export async function setup(): Promise<void> {
  await bundle();
}
