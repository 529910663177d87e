import { TRAFFIC, type TrafficFilter } from "@agate/protocol";
import { useId } from "react";
import { Select } from "../design/field.tsx";

const LABELS: Readonly<Record<TrafficFilter, string>> = {
  live: "Live",
  evaluation: "Evaluations",
  all: "All",
};

/** What a list or a dashboard shows: live by default, but a run's own traces where one is chosen. */
export function trafficOf(search: {
  readonly traffic?: string | undefined;
  readonly run?: string | undefined;
}): TrafficFilter {
  const given = TRAFFIC.find((each) => each === search.traffic);
  return given ?? (search.run === undefined ? "live" : "evaluation");
}

interface TrafficSelectProps {
  readonly value: TrafficFilter;
  /** An empty text is the default. */
  readonly onChange: (value: string) => void;
}

/** Chooses between live traffic and that of evaluation runs. */
export function TrafficSelect({ value, onChange }: TrafficSelectProps) {
  const id = useId();
  return (
    <div className="flex items-center gap-2">
      <label htmlFor={id} className="text-ink-soft">
        Traffic
      </label>
      <Select
        id={id}
        value={value}
        onChange={({ target }) => onChange(target.value === "live" ? "" : target.value)}
      >
        {TRAFFIC.map((each) => (
          <option key={each} value={each}>
            {LABELS[each]}
          </option>
        ))}
      </Select>
    </div>
  );
}
