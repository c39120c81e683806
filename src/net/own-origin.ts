/** Whether a URL is at the configured server itself: its origin, or the same host over https where the user wrote http. */
export function isOwnOrigin(configured: URL, url: URL): boolean {
  if (url.origin === configured.origin) return true;
  const isUpgrade = configured.protocol === "http:" && url.protocol === "https:";
  return isUpgrade && url.hostname === configured.hostname && configured.port === "" && url.port === "";
}
