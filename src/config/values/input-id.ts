/** Also a part of the name under which a value is kept, and a word on the command line. */
const INPUT_ID = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;

export const INPUT_ID_RULE =
  "the id of an input is 1 to 64 letters, digits, _ . and -, beginning with a letter or digit";

export function isInputId(text: string): boolean {
  return INPUT_ID.test(text);
}
