/** `auth` of an API: of one kind, or values by the names of its description's schemes. */
import type { ValueProblem } from "../http.ts";

/** What each kind takes, and nothing else. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  bearer: ["token"],
  basic: ["username", "password"],
  apiKey: ["in", "name", "value"],
};
const PLACES: readonly string[] = ["header", "query", "cookie"];

export function findAuthProblem(auth: Readonly<Record<string, string>>): ValueProblem | undefined {
  const keys = Object.hasOwn(KEYS, auth["type"] ?? "") ? KEYS[auth["type"]!]! : undefined;
  if (keys === undefined) return undefined;
  const named = keys.map((key) => `"${key}"`).join(", ");
  const foreign = Object.keys(auth).some((key) => key !== "type" && !keys.includes(key));
  if (foreign || keys.some((key) => auth[key] === undefined))
    return { message: `of type "${auth["type"]}" has the keys ${named}`, hint: "write exactly these" };
  const place = auth["in"];
  return place !== undefined && !PLACES.includes(place) && !place.includes("${")
    ? { message: `has an "in" that is none of ${PLACES.join(", ")}` }
    : undefined;
}

/** The keys whose values say how the login is sent, and are no part of it. */
export function isOpenAuthKey(auth: Readonly<Record<string, string>>, key: string): boolean {
  return Object.hasOwn(KEYS, auth["type"] ?? "") && (key === "type" || key === "in" || key === "name");
}
