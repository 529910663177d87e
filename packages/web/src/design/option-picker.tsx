import type { KeyboardEvent, ReactNode } from "react";
import { useEffect, useId, useRef, useState } from "react";
import { classNames } from "./class-names.ts";
import { TextInput } from "./field.tsx";

export interface PickerOption {
  readonly value: string;
  readonly label: string;
  /** Small, at the end of the line: a count. */
  readonly detail?: string;
}

interface OptionPickerProps {
  /** The accessible name. */
  readonly label: string;
  /** The label by default. */
  readonly placeholder?: string;
  readonly options: readonly PickerOption[];
  /** Allows any typed text as a value, and returns its label. */
  readonly other?: (text: string) => string;
  readonly initialText?: string;
  /** Shown where there are no options. */
  readonly empty?: ReactNode;
  readonly onPick: (value: string) => void;
}

/** A filterable list of options, for popovers: it takes the focus. */
export function OptionPicker(props: OptionPickerProps) {
  const { label, placeholder = label, options, other, initialText = "", empty, onPick } = props;
  const [text, setText] = useState(initialText);
  const [active, setActive] = useState(() =>
    Math.max(
      0,
      options.findIndex(({ value }) => value === initialText),
    ),
  );
  const listId = useId();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  // The initial text does not filter: the user may want another value.
  const shown = text === initialText ? options : shownOptions(options, text.trim(), other);
  const current = Math.min(active, shown.length - 1);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setActive((current + step + shown.length) % Math.max(shown.length, 1));
    } else if (event.key === "Enter") {
      event.preventDefault();
      const chosen = shown[current];
      if (chosen !== undefined) onPick(chosen.value);
    }
  };
  return (
    <div className="flex w-64 max-w-full flex-col gap-1.5">
      <TextInput
        ref={input}
        role="combobox"
        aria-label={label}
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={current >= 0 ? `${listId}-${current}` : undefined}
        aria-autocomplete="list"
        autoComplete="off"
        spellCheck={false}
        placeholder={placeholder}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setActive(0);
        }}
        onFocus={(event) => event.target.select()}
        onKeyDown={onKeyDown}
      />
      <div id={listId} role="listbox" aria-label={label} className="max-h-72 overflow-y-auto">
        {shown.map((option, index) => (
          <OptionLine
            key={option.value}
            id={`${listId}-${index}`}
            option={option}
            isActive={index === current}
            onPoint={() => setActive(index)}
            onPick={() => onPick(option.value)}
          />
        ))}
      </div>
      {shown.length === 0 && <p className="px-2 pb-1 text-ink-soft">{empty ?? "No matches"}</p>}
    </div>
  );
}

function OptionLine({
  id,
  option,
  isActive,
  onPoint,
  onPick,
}: {
  readonly id: string;
  readonly option: PickerOption;
  readonly isActive: boolean;
  readonly onPoint: () => void;
  readonly onPick: () => void;
}) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the text input's, which keeps the focus
    // biome-ignore lint/a11y/useFocusableInteractive: aria-activedescendant names it
    <div
      id={id}
      ref={(element) => {
        if (isActive) element?.scrollIntoView({ block: "nearest" });
      }}
      role="option"
      aria-selected={isActive}
      onPointerMove={onPoint}
      onClick={onPick}
      className={classNames(
        "flex h-8 cursor-pointer items-center justify-between gap-3 rounded-md px-2",
        isActive && "bg-sunken",
      )}
    >
      <span className="truncate" title={option.label}>
        {option.label}
      </span>
      {option.detail && (
        <span className="shrink-0 text-xs text-ink-soft tabular-nums">{option.detail}</span>
      )}
    </div>
  );
}

/** The options that contain the text; before them the text itself, unless it is one of the options. */
function shownOptions(
  options: readonly PickerOption[],
  text: string,
  other: ((text: string) => string) | undefined,
): readonly PickerOption[] {
  const sought = text.toLowerCase();
  const fitting = options.filter(
    ({ label, value }) =>
      label.toLowerCase().includes(sought) || value.toLowerCase().includes(sought),
  );
  const isKnown = options.some(({ value }) => value === text);
  if (other === undefined || text === "" || isKnown) return fitting;
  return [{ value: text, label: other(text) }, ...fitting];
}
