import type { RouteBinding } from "@agate/protocol";
import { useQuery } from "@tanstack/react-query";
import { applicationsQuery } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { Field, Select } from "../design/field.tsx";

interface RoutePickerProps {
  readonly value: RouteBinding | null;
  readonly onChange: (value: RouteBinding | null) => void;
}

/** Chooses the route that a test set is bound to, or none. */
export function RoutePicker({ value, onChange }: RoutePickerProps) {
  const applications = useQuery(applicationsQuery(usePlatform())).data ?? [];
  const bindings = applications.flatMap(({ slug, routes }) =>
    (routes ?? []).map((route): RouteBinding => ({ application: slug, route })),
  );
  const text = ({ application, route }: RouteBinding) => `${application} ${route}`;
  const isKnown = value === null || bindings.some((each) => text(each) === text(value));
  return (
    <Field
      label="Route"
      description="Optional. Rows are checked against the inputs of the route when they are committed."
    >
      {(ids) => (
        <Select
          {...ids}
          value={value === null ? "" : text(value)}
          onChange={(event) =>
            onChange(bindings.find((each) => text(each) === event.target.value) ?? null)
          }
        >
          <option value="">None</option>
          {!isKnown && <option value={text(value)}>{text(value)}</option>}
          {bindings.map((each) => (
            <option key={text(each)} value={text(each)}>
              {text(each)}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
