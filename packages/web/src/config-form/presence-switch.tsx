import type { ConfigFieldSchema } from "@agate/protocol";
import { isNullable } from "@agate/protocol";
import { classNames } from "../design/class-names.ts";
import { blankValue } from "./blank-value.ts";

interface PresenceSwitchProps {
  readonly label: string;
  readonly field: ConfigFieldSchema;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

/** Sets an optional or nullable field, or unsets it. */
export function PresenceSwitch({ label, field, value, onChange }: PresenceSwitchProps) {
  const isSet = value !== undefined && value !== null;
  const off = isNullable(field) ? "null" : "Not set";
  return (
    <fieldset
      aria-label={`${label}: value or ${off}`}
      className="inline-flex shrink-0 rounded-md border border-line bg-sunken p-0.5"
    >
      <Choice
        text={off}
        isPressed={!isSet}
        onPress={() => isSet && onChange(isNullable(field) ? null : undefined)}
      />
      <Choice text="Value" isPressed={isSet} onPress={() => isSet || onChange(blankValue(field))} />
    </fieldset>
  );
}

interface ChoiceProps {
  readonly text: string;
  readonly isPressed: boolean;
  readonly onPress: () => void;
}

function Choice({ text, isPressed, onPress }: ChoiceProps) {
  return (
    <button
      type="button"
      aria-pressed={isPressed}
      onClick={onPress}
      className={classNames(
        "h-6 rounded px-1.5 text-[0.93rem] font-medium",
        isPressed ? "bg-raised text-ink shadow-sm" : "text-ink-soft hover:text-ink",
      )}
    >
      {text}
    </button>
  );
}
