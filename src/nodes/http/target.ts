export type Target =
  | { readonly ok: true; readonly url: URL }
  | { readonly ok: false; readonly message: string };

/** Where a request may go: http or https, without credentials in the URL. The URL itself is not repeated in the message. */
export function parseTarget(text: string, base?: URL): Target {
  const url = URL.parse(text, base?.href);
  if (url === null) return { ok: false, message: "is not a URL; write it as https://host/path" };
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return { ok: false, message: "must begin with http:// or https://" };
  }
  if (url.username !== "" || url.password !== "") {
    return {
      ok: false,
      message: "must not contain a user name or password; send an Authorization header instead",
    };
  }
  url.hash = "";
  return { ok: true, url };
}
