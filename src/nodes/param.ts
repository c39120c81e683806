/**
 * Reads parameters of a node. They were checked against its schema before, so a wrong kind counts as absent; own
 * properties only, so that no name reaches a prototype.
 */
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";

export function readParam(params: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(params, name) ? params[name] : undefined;
}

export function readText(params: JsonObject, name: string): string | undefined {
  const value = readParam(params, name);
  return typeof value === "string" ? value : undefined;
}

export function readFlag(params: JsonObject, name: string, otherwise: boolean): boolean {
  const value = readParam(params, name);
  return typeof value === "boolean" ? value : otherwise;
}

/** A whole number from 1 to `max`: what is above counts as the limit. */
export function readCount(params: JsonObject, name: string, otherwise: number, max: number): number {
  const value = readParam(params, name);
  if (typeof value !== "number" || !(value >= 1)) return otherwise;
  return Math.min(Math.floor(value), max);
}

/** The entries of an object of strings; what is no string is left out. */
export function readTexts(params: JsonObject, name: string): [string, string][] {
  const value = readParam(params, name);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string");
}
