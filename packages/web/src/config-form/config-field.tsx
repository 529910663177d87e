import type { ConfigFieldSchema } from "@agate/protocol";
import { isSameJson } from "@agate/protocol";
import { Badge } from "../design/badge.tsx";
import { Checkbox } from "../design/checkbox.tsx";
import { classNames } from "../design/class-names.ts";
import { Field, type FieldIds } from "../design/field.tsx";
import { ChoiceField } from "./choice-field.tsx";
import { controlOf } from "./control-of.ts";
import { EarlierValues } from "./earlier-values.tsx";
import { FieldName } from "./field-name.tsx";
import { NumberField } from "./number-field.tsx";
import { TextField } from "./text-field.tsx";

interface ConfigFieldProps {
  readonly name: string;
  readonly field: ConfigFieldSchema;
  readonly value: unknown;
  /** What it was. */
  readonly base: unknown;
  readonly problem: string | undefined;
  /** Another form beside this one has another value. */
  readonly isDiffering: boolean;
  readonly onChange: (value: unknown) => void;
  readonly onPutBack: () => void;
}

/** One parameter: its control, what is wrong with it, and the way back to what it was. */
export function ConfigField(props: ConfigFieldProps) {
  const { name, field, value, base, problem, isDiffering, onChange, onPutBack } = props;
  const isChanged = !isSameJson(value, base);
  return (
    <div
      className={classNames(
        // The mark hangs in the margin, so that changed fields stay in line with the others.
        "-ml-[calc(0.5rem+2px)] flex flex-col gap-1 border-l-2 pl-2",
        isChanged ? "border-accent" : "border-transparent forced-colors:border-[Canvas]",
      )}
    >
      <Field
        label={<FieldName name={name} title={field.title} />}
        description={field.description}
        problem={problem}
        aside={
          <>
            {isDiffering && <Badge>differs</Badge>}
            {isChanged && <Badge tone="accent">changed</Badge>}
          </>
        }
        isInline={controlOf(field) === "checkbox"}
      >
        {(ids) => (
          <Control
            field={field}
            label={field.title ?? name}
            ids={ids}
            value={value}
            onChange={onChange}
          />
        )}
      </Field>
      <EarlierValues
        name={name}
        value={value}
        base={base}
        initial={field.default}
        onPutBack={onPutBack}
        onUseDefault={() => onChange(field.default)}
      />
    </div>
  );
}

interface ControlProps {
  readonly field: ConfigFieldSchema;
  readonly label: string;
  readonly ids: FieldIds;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

function Control({ field, label, ids, value, onChange }: ControlProps) {
  switch (controlOf(field)) {
    case "text":
      return <TextField label={label} ids={ids} value={value} onChange={onChange} />;
    case "number":
      return (
        <NumberField field={field} label={label} ids={ids} value={value} onChange={onChange} />
      );
    case "checkbox":
      return (
        <Checkbox
          {...ids}
          checked={value === true}
          onChange={(event) => onChange(event.target.checked)}
        />
      );
    case "choice":
      return <ChoiceField field={field} ids={ids} value={value} onChange={onChange} />;
  }
}
