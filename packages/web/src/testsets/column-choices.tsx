import type { ColumnChoice, ColumnPart, CsvHeader } from "@agate/protocol/testsets";
import { useId } from "react";
import { Select, TextInput } from "../design/field.tsx";

const PARTS: readonly { readonly value: ColumnPart; readonly label: string }[] = [
  { value: "inputs", label: "Input" },
  { value: "expected", label: "Expected" },
  { value: "metadata", label: "Metadata" },
  { value: "id", label: "Id" },
  { value: "tags", label: "Tags" },
  { value: "none", label: "Left out" },
];

const TYPES: readonly { readonly value: ColumnChoice["cell"]; readonly label: string }[] = [
  { value: "text", label: "Text" },
  { value: "number", label: "Number" },
  { value: "boolean", label: "True or false" },
  { value: "json", label: "JSON" },
];

interface ColumnChoicesProps {
  readonly header: CsvHeader;
  /** One for each header. */
  readonly choices: readonly ColumnChoice[];
  /** The inputs of the route, to choose from. */
  readonly fields: readonly string[];
  readonly onChange: (choices: readonly ColumnChoice[]) => void;
}

/** What each column of a CSV file becomes. */
export function ColumnChoices({ header, choices, fields, onChange }: ColumnChoicesProps) {
  const fieldsId = useId();
  const set = (index: number, choice: ColumnChoice) => onChange(choices.with(index, choice));
  return (
    <fieldset className="flex min-w-0 flex-col gap-1">
      <legend className="font-medium">Columns</legend>
      <p className="text-[0.93rem] text-ink-soft">
        A dot in a field nests it; without a field, the column is the whole value.
      </p>
      <ul className="max-h-72 divide-y divide-line overflow-y-auto rounded-lg border border-line">
        {header.headers.map((name, index) => (
          <Column
            // biome-ignore lint/suspicious/noArrayIndexKey: headers can be equal, and do not move.
            key={index}
            name={name || `Column ${index + 1}`}
            sample={header.sample[index] ?? ""}
            choice={choices[index]!}
            fieldsId={fieldsId}
            onChange={(choice) => set(index, choice)}
          />
        ))}
      </ul>
      <datalist id={fieldsId}>
        {fields.map((field) => (
          <option key={field} value={field} />
        ))}
      </datalist>
    </fieldset>
  );
}

interface ColumnProps {
  readonly name: string;
  readonly sample: string;
  readonly choice: ColumnChoice;
  readonly fieldsId: string;
  readonly onChange: (choice: ColumnChoice) => void;
}

function Column({ name, sample, choice, fieldsId, onChange }: ColumnProps) {
  const { part, name: field, cell } = choice;
  const hasField = part === "inputs" || part === "expected" || part === "metadata";
  return (
    <li className="grid grid-cols-[1fr_1fr] items-center gap-2 px-3 py-1.5 sm:grid-cols-[minmax(0,1fr)_8rem_9rem_9rem]">
      <p className="min-w-0 max-sm:col-span-2">
        <code className="block truncate font-mono text-[0.93rem]">{name}</code>
        <span dir="auto" className="block truncate text-xs text-ink-soft">
          {sample === "" ? "–" : sample}
        </span>
      </p>
      <Select
        aria-label={`Use ${name} as`}
        value={part}
        onChange={(event) =>
          onChange(withPart(choice, event.target.value as ColumnPart, name.replace(/:json$/, "")))
        }
      >
        {PARTS.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </Select>
      {hasField && (
        <>
          <TextInput
            aria-label={`Field of ${name}`}
            placeholder="whole value"
            value={field}
            list={part === "inputs" ? fieldsId : undefined}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => onChange({ ...choice, name: event.target.value })}
          />
          <Select
            aria-label={`Type of ${name}`}
            value={cell}
            className="max-sm:col-start-2"
            onChange={(event) =>
              onChange({ ...choice, cell: event.target.value as ColumnChoice["cell"] })
            }
          >
            {TYPES.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </Select>
        </>
      )}
    </li>
  );
}

/** Ids and tags have neither a field nor a type. Inputs and metadata begin with the header as their field. */
function withPart(choice: ColumnChoice, part: ColumnPart, header: string): ColumnChoice {
  if (part === "inputs" || part === "metadata") {
    return { ...choice, part, name: choice.name === "" ? header : choice.name };
  }
  if (part === "expected") return { ...choice, part, name: "" };
  return { part, name: "", cell: "text" };
}
