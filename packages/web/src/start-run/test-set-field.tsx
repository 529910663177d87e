import type { TestSet } from "@agate/protocol";
import type { DeclaredEvaluation } from "@agate/protocol/evaluator";
import { plural } from "@agate/protocol/format";
import { Field, Select } from "../design/field.tsx";
import { caseSource } from "./run-plan.ts";

interface TestSetFieldProps {
  readonly evaluation: DeclaredEvaluation;
  readonly testSets: readonly TestSet[];
  readonly problem: string | undefined;
  /** `golden`, `golden@3`; empty for the evaluation's own. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Chooses the cases of a run. Test sets of other routes are left out. */
export function TestSetField(props: TestSetFieldProps) {
  const { evaluation, testSets, problem, value, onChange } = props;
  const { application, route } = evaluation;
  const fitting = testSets.filter(
    ({ rows, bound_to: bound }) =>
      rows > 0 && (bound === null || (bound.application === application && bound.route === route)),
  );
  return (
    <Field label="Test set" problem={problem}>
      {(ids) => (
        <Select {...ids} value={value} onChange={(event) => onChange(event.target.value)}>
          <option value="">{ownText(evaluation)}</option>
          {value !== "" && !fitting.some(({ slug }) => slug === value) && (
            <option value={value}>{value}</option>
          )}
          {fitting.map(({ slug, rows }) => (
            <option key={slug} value={slug}>
              {slug} ({plural(rows, "row")})
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

function ownText({ testset }: DeclaredEvaluation): string {
  const source = caseSource(testset);
  switch (source.kind) {
    case "inline":
      return `The evaluation's own (${plural(source.cases, "case")})`;
    case "file":
      return `The evaluation's own (${source.path})`;
    case "testset":
      return `The evaluation's own (${String(testset)})`;
  }
}
