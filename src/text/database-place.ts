/** `host:port/database` of the URL of a database: all that is shown of it, because the URL has a password in it. */
export function placeOfDatabase(value: string): string {
  const url = URL.parse(value);
  if (url === null) return "the PostgreSQL database";
  // A socket is given as a parameter, or as the encoded host.
  const host = url.searchParams.get("host") ?? decodeURIComponent(url.hostname);
  const port = url.port === "" ? "" : `:${url.port}`;
  return `${host === "" ? "localhost" : host}${port}/${decodeURIComponent(url.pathname.slice(1))}`;
}
