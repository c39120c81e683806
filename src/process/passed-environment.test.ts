import { expect, it } from "vitest";
import { PASSED_GROUPS, passedEnvironment, WINDOWS_GROUP } from "./passed-environment.ts";
import { isSecretKey } from "../text/redaction.ts";

const passed = (names: readonly string[], platform: NodeJS.Platform) =>
  Object.keys(passedEnvironment(Object.fromEntries(names.map((name) => [name, "x"])), platform));

it("C2: passes what leads out of a company's network, in the case that it is written in", () => {
  const names = [
    "HTTPS_PROXY",
    "https_proxy",
    "no_proxy",
    "NODE_EXTRA_CA_CERTS",
    "npm_config_registry",
    "NPM_CONFIG_CAFILE",
  ];
  expect(passed(names, "linux")).toEqual(names);
  expect(passed(["node_extra_ca_certs"], "linux")).toEqual([]);
});

it("C2: passes nothing that is a credential or opens something", () => {
  const names = [
    "npm_config__authToken",
    "npm_config_//registry.npmjs.org/:_authToken",
    "NPM_TOKEN",
    "NPM_CONFIG_OTP",
    "npm_config_user_agent",
    "UV_PUBLISH_TOKEN",
    "UV_INDEX_PRIVATE_PASSWORD",
    "PIP_CLIENT_CERT",
    "AWS_SECRET_ACCESS_KEY",
    "SSH_AUTH_SOCK",
    "DISPLAY",
    "DBUS_SESSION_BUS_ADDRESS",
    "NODE_OPTIONS",
    "NODE_TLS_REJECT_UNAUTHORIZED",
    "LD_PRELOAD",
    "DOCKER_AUTH_CONFIG",
    "REPERTOIRE_SECRET_KEY",
    "REPERTOIRE_SECRET_KEY_FILE",
    "REPERTOIRE_SECRET_KEY_PREVIOUS",
    "REPERTOIRE_TOKEN",
    "REPERTOIRE_DATABASE_URL",
  ];
  expect(passed(names, "linux")).toEqual([]);
  expect(passed(names, "win32")).toEqual([]);
  const listed = [...PASSED_GROUPS, WINDOWS_GROUP].flatMap((group) => group.names);
  expect(listed.filter(isSecretKey)).toEqual([]);
});

it("C2: an empty variable is none, and on Windows names have no case", () => {
  expect(passedEnvironment({ HTTPS_PROXY: "", HOME: "/h", USER: undefined }, "linux")).toEqual({
    HOME: "/h",
  });
  expect(passed(["Path", "SystemRoot", "ProgramFiles(x86)"], "win32")).toHaveLength(3);
  expect(passed(["Path", "SystemRoot"], "linux")).toEqual([]);
});
