import { Field, Select } from "../design/field.tsx";
import type { RunChoices } from "./run-choices.ts";
import { codeText, type RunOffer } from "./use-run-offer.ts";

interface EvaluationFieldProps {
  readonly offer: RunOffer;
  /** Of the chosen evaluation, which may not be declared any more. */
  readonly name: string;
  readonly problem: string | undefined;
  readonly onChange: (changed: RunChoices) => void;
}

/** Chooses one of the evaluations that the newest build with eval files declares. */
export function EvaluationField({ offer, name, problem, onChange }: EvaluationFieldProps) {
  const { build, evaluations } = offer;
  const chosen = evaluations.find((each) => each.name === name);
  const code = codeText(build);
  return (
    <Field
      label="Evaluation"
      description={chosen && `Calls ${chosen.route} of ${code}`}
      problem={chosen === undefined ? `Not declared by ${code}. Choose another.` : problem}
    >
      {(ids) => (
        <Select
          {...ids}
          value={name}
          // Test set, trials and the need for a baseline are the evaluation's own.
          onChange={({ target }) =>
            onChange({
              evaluation: target.value,
              testset: undefined,
              trials: undefined,
              baseline: undefined,
            })
          }
        >
          {chosen === undefined && <option value={name}>{name}</option>}
          {evaluations.map((each) => (
            <option key={each.name} value={each.name}>
              {each.name}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
