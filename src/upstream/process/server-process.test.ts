import { expect, it } from "vitest";
import { childEnvironment, findLostName } from "./server-process.ts";

it.skipIf(process.platform === "win32")(
  "passes on what every program needs, and nothing that may be a secret",
  () => {
    const parent = {
      PATH: "/bin",
      HOME: "/home/a",
      LC_ALL: "C",
      TZ: "UTC",
      NODE_OPTIONS: "--inspect",
      AWS_SECRET_ACCESS_KEY: "canary",
      GITHUB_TOKEN: "canary",
      LD_PRELOAD: "/x.so",
      USER: undefined,
    };
    expect(childEnvironment({}, parent)).toEqual({ PATH: "/bin", HOME: "/home/a", LC_ALL: "C", TZ: "UTC" });
  },
);

it("lets the server's own variables win", () => {
  expect(childEnvironment({ PATH: "/own", NODE_OPTIONS: "--x" }, { PATH: "/bin" })).toEqual({
    PATH: "/own",
    NODE_OPTIONS: "--x",
  });
});

it("finds a name that a shell would drop", () => {
  expect(findLostName({ A: "1", _b2: "2" })).toBeUndefined();
  expect(findLostName({ A: "1", "a.b": "2" })).toBe("a.b");
  expect(findLostName({ "1A": "2" })).toBe("1A");
});
