import { approvalOf, heldOf, intentOf, uncertainCallsOf } from "./item-details.ts";
import type { WaitingItem } from "./waiting-items.ts";

export interface Headline {
  /** What it is about: a tool, a server, an input. */
  readonly title: string;
  /** What is to be decided, in one line. */
  readonly about: string;
}

/** An item in two lines. */
export function headlineOf(item: WaitingItem): Headline {
  const { kind, subject, title, details } = item;
  switch (kind) {
    case "approval": {
      const { name, tool, message } = approvalOf(details, title);
      return { title: tool ?? (name === "" ? "A question" : name), about: intentOf(details) ?? message };
    }
    case "uncertain": {
      const tools = uncertainCallsOf(details).map(({ tool }) => tool);
      const intent = intentOf(details);
      return {
        title: tools.length === 0 ? title : tools.join(", "),
        about: `May or may not have happened${intent === undefined ? "" : ` in: ${intent}`}`,
      };
    }
    case "held": {
      const { kind: what, name, reasons } = heldOf(details);
      return {
        title: name === "" ? `${subject}: ${what}` : `${subject}.${name}`,
        about: reasons.join("; ") || title,
      };
    }
    case "input":
    case "login":
      return { title: subject, about: title };
    case "given_up":
      return { title: intentOf(details) ?? subject, about: "Given up after five attempts" };
    case "resume":
      return { title: intentOf(details) ?? subject, about: "Every question is answered" };
  }
}
