import { useState, type ReactNode } from "react";
import { cx } from "../../../parts/class-names.ts";
import { countOf } from "../../../parts/format.ts";
import { Section } from "../../../parts/page.tsx";
import { StatusDot } from "../../../parts/status.tsx";
import { Duration, Time } from "../../../parts/time.tsx";
import { Visible } from "../../../parts/visible.tsx";
import { literalOf, type JsonObject } from "../written-call.ts";
import { AnswerView } from "./answer-view.tsx";
import { stateOf, type Try } from "./try-store.ts";

export interface TryAnswersProps {
  readonly tries: readonly Try[];
  readonly target: string;
  /** Takes the arguments of a try again. */
  readonly onUse: (args: JsonObject) => void;
}

/** The last answer, and the tries of this session. */
export function TryAnswers({ tries, onUse }: TryAnswersProps): ReactNode {
  const [chosen, choose] = useState<string>();
  const shown = tries.find(({ requestId }) => requestId === chosen) ?? tries[0];
  if (shown === undefined) return null;
  return (
    <>
      <AnswerView key={`${shown.requestId} ${shown.state}`} one={shown} />
      {tries.length > 1 && (
        <Section title="Tries" aside={`${countOf(tries.length, "call")} of this session`}>
          <ol className="divide-y divide-line border-y border-line">
            {tries.map((one) => (
              <li key={one.requestId}>
                <TryRow
                  one={one}
                  isShown={one === shown}
                  onChoose={() => {
                    choose(one.requestId);
                    onUse(one.args);
                  }}
                />
              </li>
            ))}
          </ol>
        </Section>
      )}
    </>
  );
}

interface TryRowProps {
  readonly one: Try;
  readonly isShown: boolean;
  readonly onChoose: () => void;
}

function TryRow({ one, isShown, onChoose }: TryRowProps): ReactNode {
  return (
    <button
      type="button"
      aria-pressed={isShown}
      onClick={onChoose}
      className={cx(
        "row-focus grid w-full grid-cols-[1.25rem_minmax(0,1fr)_4.5rem_5rem] items-center gap-x-2 px-2 py-1.5 text-left",
        isShown ? "bg-selected" : "hover:bg-hover",
      )}
    >
      <StatusDot state={stateOf(one)} iconOnly />
      <span className="truncate font-mono text-xs">
        <Visible text={literalOf(one.args, "").replaceAll(/\s*\n\s*/g, " ")} max={160} />
      </span>
      <Duration ms={one.answer?.elapsed_ms} className="text-right text-muted" />
      <Time at={one.at} className="text-right text-muted" />
    </button>
  );
}
