/** What every answer for a browser carries, also those that refuse: what a page may load, and who may frame it. */
import type { ServerResponse } from "node:http";

/** The page has no inline script or style, loads nothing from elsewhere, and cannot be framed. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const HEADERS: Readonly<Record<string, string>> = {
  "Content-Security-Policy": CONTENT_SECURITY_POLICY,
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
};

export const CONSOLE_PATH = "/console";
export const API_PATH = "/api/v1";
export const EVENTS_PATH = `${API_PATH}/events`;

/** Whether a browser is meant to ask for it. */
export function isForBrowser(path: string): boolean {
  return isBelow(path, CONSOLE_PATH) || isBelow(path, API_PATH);
}

export function isBelow(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`);
}

/** Whether an Origin is that of the Host that was asked. */
export function isOriginOf(origin: string, host: string | undefined): boolean {
  return host !== undefined && (origin === `http://${host}` || origin === `https://${host}`);
}

/** Set before anything else is looked at, so that no answer goes without. */
export function secure(response: ServerResponse): void {
  for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
}
