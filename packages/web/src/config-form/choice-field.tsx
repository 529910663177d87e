import type { ConfigFieldSchema } from "@agate/protocol";
import { shownValue } from "@agate/protocol";
import type { FieldIds } from "../design/field.tsx";
import { Select } from "../design/field.tsx";
import { choiceGroups } from "./control-of.ts";

interface ChoiceFieldProps {
  readonly field: ConfigFieldSchema;
  readonly ids: FieldIds;
  readonly value: unknown;
  readonly onChange: (value: string) => void;
}

/** A dropdown, with headings where the choices are grouped. */
export function ChoiceField({ field, ids, value, onChange }: ChoiceFieldProps) {
  const groups = choiceGroups(field);
  const isOffered = groups.some(({ choices }) => choices.some((choice) => choice === value));
  // Cannot be selected, so every selection is a change.
  const notOffered = typeof value === "string" ? value : `(${JSON.stringify(value)})`;
  return (
    <Select
      {...ids}
      className="w-full"
      value={isOffered ? String(value) : notOffered}
      onChange={(event) => onChange(event.target.value)}
    >
      {!isOffered && (
        <option value={notOffered} disabled>
          {`${shownValue(value)} (no longer available)`}
        </option>
      )}
      {groups.map(({ name, choices }) =>
        name === null ? (
          <Options key="" choices={choices} />
        ) : (
          <optgroup key={`group ${name}`} label={name}>
            <Options choices={choices} />
          </optgroup>
        ),
      )}
    </Select>
  );
}

function Options({ choices }: { readonly choices: readonly string[] }) {
  return choices.map((choice) => (
    <option key={choice} value={choice}>
      {choice === "" ? "(empty)" : choice}
    </option>
  ));
}
