import { Check } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "../../parts/button.tsx";
import { cx } from "../../parts/class-names.ts";
import { CommandTwin } from "../../parts/command-twin.tsx";
import { STEPS, type FirstStep } from "./first-step.tsx";
import type { Status } from "./status.ts";

export interface FirstStepsProps {
  readonly steps: Status["steps"];
  readonly onHide: () => void;
}

/** What a new home needs; each step turns green when the gateway says that it has happened. */
export function FirstSteps({ steps, onHide }: FirstStepsProps): ReactNode {
  const next = STEPS.find(({ id }) => !steps[id])?.id;
  return (
    <section aria-labelledby="first-steps" className="mb-8">
      <header className="mb-3 flex flex-wrap items-baseline gap-x-3">
        <h2 id="first-steps" className="text-lg">
          {next === undefined ? "Everything works" : "Three steps to begin"}
        </h2>
        <p className="text-muted max-sm:order-last max-sm:w-full">
          {next === undefined
            ? "The three steps are done."
            : "They turn green as they happen; no need to reload."}
        </p>
        <Button look="quiet" size="sm" className="ml-auto" onClick={onHide}>
          Hide
        </Button>
      </header>
      <ol className="divide-y divide-line border-y border-line">
        {STEPS.map((step, at) => (
          <StepRow
            key={step.id}
            step={step}
            number={at + 1}
            isDone={steps[step.id]}
            isNext={step.id === next}
          />
        ))}
      </ol>
    </section>
  );
}

interface StepRowProps {
  readonly step: FirstStep;
  readonly number: number;
  readonly isDone: boolean;
  readonly isNext: boolean;
}

function StepRow({ step, number, isDone, isNext }: StepRowProps): ReactNode {
  return (
    <li data-step={step.id} data-done={isDone} className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 py-3">
      <StepMark number={number} isDone={isDone} isNext={isNext} />
      <div className="min-w-0">
        <h3 className={cx("text-base", isDone && "text-ok")}>
          {isDone ? step.done : step.title}
          <span className="sr-only">{isDone ? " (done)" : " (not done yet)"}</span>
        </h3>
        {!isDone && (
          <>
            <p className="max-w-prose text-pretty text-muted">{step.about}</p>
            <div className="mt-2 flex flex-wrap items-center gap-2">
              <div className="w-[34rem] max-w-full min-w-0">
                <CommandTwin command={step.command} />
              </div>
              {step.action}
            </div>
          </>
        )}
      </div>
    </li>
  );
}

function StepMark({ number, isDone, isNext }: Omit<StepRowProps, "step">): ReactNode {
  return (
    <span
      aria-hidden
      className={cx(
        "mt-px inline-flex size-5.5 items-center justify-center rounded-full text-xs font-semibold transition-colors duration-300",
        isDone
          ? "bg-ok-fill text-bg"
          : isNext
            ? "bg-accent-fill text-on-accent"
            : "text-muted inset-ring inset-ring-line-strong",
      )}
    >
      {isDone ? <Check size={14} strokeWidth={3} /> : number}
    </span>
  );
}
