import { Select } from "../../design/field.tsx";
import type { KnownConfigs } from "../state/column-base.ts";
import { type ConfigSource, parseSource, printSource } from "../state/config-source.ts";
import { configChoices } from "./config-choices.ts";

interface SourceSelectProps {
  readonly source: ConfigSource;
  readonly known: KnownConfigs;
  readonly onChange: (source: ConfigSource) => void;
}

/** What a column starts from. */
export function SourceSelect({ source, known, onChange }: SourceSelectProps) {
  const value = printSource(source);
  const groups = configChoices(known);
  const isListed = groups.some(({ choices }) => choices.some((choice) => choice.value === value));
  return (
    <Select
      aria-label="Configuration"
      className="min-w-0 flex-1"
      value={value}
      onChange={(event) => {
        const chosen = parseSource(event.target.value);
        if (chosen !== null) onChange(chosen);
      }}
    >
      {!isListed && <option value={value}>{value}</option>}
      {groups.map(({ name, choices }) => (
        <optgroup key={name} label={name}>
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value} disabled={choice.isEmpty}>
              {choice.label}
            </option>
          ))}
        </optgroup>
      ))}
    </Select>
  );
}
