import type { DeployEvents, DeployStep } from "@agate/protocol";
import { Check, LoaderCircle } from "lucide-react";

export type ChangeStep = DeployEvents["step"];

const STEP_WORDS: Readonly<Record<DeployStep, string>> = {
  unpack: "Unpack",
  install: "Install packages",
  start: "Start",
  check: "Check configuration",
  switch: "Switch",
  drain: "Drain the previous build",
};

/** The steps with another one: a step that ends replaces its beginning. */
export function withStep(steps: readonly ChangeStep[], next: ChangeStep): readonly ChangeStep[] {
  const isKnown = steps.some(({ step }) => step === next.step);
  return isKnown ? steps.map((each) => (each.step === next.step ? next : each)) : [...steps, next];
}

/** The steps of a change of what is live, as they happen. */
export function ChangeSteps({ steps }: { readonly steps: readonly ChangeStep[] }) {
  return (
    <ol aria-label="Steps" aria-live="polite" className="flex flex-col gap-1">
      {steps.map(({ step, state, detail }) => (
        <li key={step} className="flex items-center gap-2">
          {state === "done" ? (
            <Check size={15} role="img" aria-label="Done:" className="shrink-0 text-success" />
          ) : (
            <LoaderCircle
              size={15}
              role="img"
              aria-label="Under way:"
              className="shrink-0 animate-spin text-ink-soft motion-reduce:animate-none"
            />
          )}
          {/* A platform that is newer may have steps that have no words here. */}
          {STEP_WORDS[step] ?? step}
          {detail !== "" && <span className="text-ink-soft">{detail}</span>}
        </li>
      ))}
    </ol>
  );
}
