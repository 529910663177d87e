import { ApiError } from "../api/api-error.ts";
import { Field, TextInput } from "../design/field.tsx";

interface NameFieldProps {
  readonly value: string;
  /** Why the platform refuses the name. */
  readonly problem?: string | undefined;
  readonly onChange: (name: string) => void;
}

/** The name of something in the registry. */
export function NameField({ value, problem, onChange }: NameFieldProps) {
  return (
    <Field
      label="Name"
      description="Lower-case letters and digits, separated by single - _ or ."
      problem={problem}
    >
      {(ids) => (
        <TextInput
          {...ids}
          value={value}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

/** What a failed change says about the name, which is shown at its field. */
export function nameProblem(error: Error | null): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return error.detail.find(({ loc }) => loc.at(-1) === "slug")?.msg;
}
