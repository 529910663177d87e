import type { RouteSchema } from "@agate/protocol";
import { ConfigField } from "./config-field.tsx";
import {
  type ConfigValues,
  fieldValue,
  revertField,
  unknownFields,
  withoutField,
  withValue,
} from "./config-values.ts";
import {
  checkConfig,
  type FieldProblem,
  problemsBelow,
  problemsElsewhere,
} from "./field-problem.ts";
import { ProblemSummary } from "./problem-line.tsx";
import { UnknownFields } from "./unknown-fields.tsx";

interface ConfigFormProps {
  readonly route: RouteSchema;
  readonly values: ConfigValues;
  /** The values before the edits: changed fields are marked and can be reverted. */
  readonly base: ConfigValues;
  /** Reported by the server, beside those that the page finds itself. */
  readonly problems: readonly FieldProblem[];
  /** Fields to mark, because another column has another value. */
  readonly differing?: readonly string[];
  readonly onChange: (values: ConfigValues) => void;
}

/** The form for the configuration of a route. */
export function ConfigForm(props: ConfigFormProps) {
  const { route, values, base, problems, differing = [], onChange } = props;
  const all = [...checkConfig(route, values), ...problems];
  const unknown = unknownFields(route, values);
  const shown = new Set([...Object.keys(route.config), ...unknown]);
  const fields = Object.entries(route.config);
  return (
    <div className="flex flex-col gap-4">
      <ProblemSummary messages={problemsElsewhere(all, shown)} />
      {fields.length === 0 && unknown.length === 0 && (
        <p className="text-ink-soft">This route has no configuration.</p>
      )}
      {fields.map(([name, field]) => (
        <ConfigField
          key={name}
          name={name}
          field={field}
          value={fieldValue(route, values, name)}
          base={{ value: fieldValue(route, base, name) }}
          problems={problemsBelow(all, name)}
          isDiffering={differing.includes(name)}
          onChange={(value) => onChange(withValue(values, name, value))}
          onRevert={() => onChange(revertField(values, base, name))}
        />
      ))}
      <UnknownFields
        names={unknown}
        values={values}
        problems={all}
        onRemove={(name) => onChange(withoutField(values, name))}
      />
    </div>
  );
}
