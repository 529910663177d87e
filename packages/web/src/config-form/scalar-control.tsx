import type { ConfigFieldSchema } from "@agate/protocol";
import type { FieldIds } from "../design/field.tsx";
import { Checkbox } from "../design/field.tsx";
import { ChoiceField } from "./choice-field.tsx";
import { controlOf } from "./control-of.ts";
import { NumberField } from "./number-field.tsx";
import { TextField } from "./text-field.tsx";

interface ScalarControlProps {
  readonly field: ConfigFieldSchema;
  readonly label: string;
  readonly ids: FieldIds;
  readonly value: unknown;
  /** For list items, which have little room. */
  readonly isCompact?: boolean | undefined;
  readonly onChange: (value: unknown) => void;
}

/** The control of a field without fields inside. */
export function ScalarControl(props: ScalarControlProps) {
  const { field, label, ids, value, isCompact, onChange } = props;
  switch (controlOf(field)) {
    case "number":
      return (
        <NumberField
          field={field}
          label={label}
          ids={ids}
          value={value}
          isCompact={isCompact}
          onChange={onChange}
        />
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
    default: {
      const variables = field["x-ag-variables"];
      return (
        <TextField
          label={label}
          ids={ids}
          value={value}
          template={variables === undefined ? undefined : { variables }}
          onChange={onChange}
        />
      );
    }
  }
}
