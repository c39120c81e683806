import { isJsonObject } from "../../core/json.ts";

export interface Media {
  /** In small letters, without parameters. */
  readonly type: string;
  readonly schema: unknown;
  readonly encoding: unknown;
}

/** More media types of one exchange are not looked at. */
const MEDIA_COUNT_MAX = 50;

/** The media types of a body or an answer, as they are written. */
export function mediaOf(content: unknown): Media[] {
  if (!isJsonObject(content)) return [];
  return Object.entries(content)
    .slice(0, MEDIA_COUNT_MAX)
    .map(([type, media]) => ({
      type: type.split(";")[0]!.trim().toLowerCase(),
      schema: isJsonObject(media) ? media["schema"] : undefined,
      encoding: isJsonObject(media) ? media["encoding"] : undefined,
    }))
    .filter(({ type }) => /^[\w!#$&^.+*-]+\/[\w!#$&^.+*-]+$/.test(type));
}
