import type { DeclaredEvaluation } from "@agate/protocol/evaluator";
import { Field, Select, TextInput } from "../design/field.tsx";
import { NumberBox, parseNumber } from "../design/number-box.tsx";
import { orderEnvironments } from "../revisions/order-environments.ts";
import type { RunChoices, RunDraft, RunProblems } from "./run-choices.ts";
import { RunPlan } from "./run-plan-view.tsx";
import { SourceField } from "./source-field.tsx";
import { TestSetField } from "./test-set-field.tsx";
import type { RunOffer } from "./use-run-offer.ts";

interface RunFormProps {
  readonly app: string;
  readonly offer: RunOffer;
  readonly evaluation: DeclaredEvaluation;
  readonly draft: RunDraft;
  readonly problems: RunProblems;
  readonly onChange: (changed: RunChoices) => void;
}

/** What an evaluation is run with. */
export function RunForm({ app, offer, evaluation, draft, problems, onChange }: RunFormProps) {
  const runsOf = { application: app, evaluation: evaluation.name };
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <SourceField
          label="Candidate"
          problem={problems.candidate}
          known={offer}
          value={draft.candidate}
          onChange={(candidate) => onChange({ candidate })}
          runsOf={runsOf}
        />
        <SourceField
          label="Baseline"
          problem={problems.baseline}
          known={offer}
          value={draft.baseline}
          onChange={(baseline) => onChange({ baseline })}
          isOptional
          runsOf={runsOf}
        />
        <TestSetField
          evaluation={evaluation}
          testSets={offer.testSets}
          problem={problems.testset}
          value={draft.testset}
          onChange={(testset) => onChange({ testset })}
        />
        <Field
          label="Variables of"
          description="Whose variables the code gets."
          problem={problems.environment}
        >
          {(ids) => (
            <Select
              {...ids}
              value={draft.environment}
              onChange={(event) => onChange({ environment: event.target.value })}
            >
              {!offer.environments.some(({ slug }) => slug === draft.environment) && (
                <option value={draft.environment}>{draft.environment}</option>
              )}
              {orderEnvironments(offer.environments).map(({ slug }) => (
                <option key={slug} value={slug}>
                  {slug}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field
          label="Trials"
          description="Calls of each case in each column."
          problem={problems.trials}
        >
          {(ids) => (
            <NumberBox
              {...ids}
              text={draft.trials}
              lowest={1}
              onText={(trials) => onChange({ trials })}
              onStep={(steps) =>
                onChange({
                  trials: String(Math.max(1, (parseNumber(draft.trials) ?? 0) + steps)),
                })
              }
            />
          )}
        </Field>
        <Field
          label="Cost ceiling in US dollars"
          description="Optional. An unknown cost stops the run, too."
          problem={problems.max_cost}
        >
          {(ids) => (
            <NumberBox
              {...ids}
              text={draft.max_cost}
              lowest={0}
              onText={(max_cost) => onChange({ max_cost })}
              onStep={(steps) => {
                const cost = (parseNumber(draft.max_cost) ?? 0) + steps;
                onChange({ max_cost: cost > 0 ? String(cost) : "" });
              }}
            />
          )}
        </Field>
      </div>
      <Field label="Message" problem={problems.message}>
        {(ids) => (
          <TextInput
            {...ids}
            value={draft.message}
            placeholder="Optional. Shown with the run."
            onChange={(event) => onChange({ message: event.target.value })}
          />
        )}
      </Field>
      <RunPlan evaluation={evaluation} draft={draft} testSets={offer.testSets} />
    </>
  );
}
