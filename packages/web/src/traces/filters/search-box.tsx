import { Search, X } from "lucide-react";
import type { RefObject } from "react";
import { useEffect, useEffectEvent, useState } from "react";
import { IconButton } from "../../design/button.tsx";
import { TextInput } from "../../design/field.tsx";

const PAUSE_MS = 300;

interface SearchBoxProps {
  /** The search in the address. */
  readonly value: string;
  readonly problem: string | undefined;
  readonly inputRef: RefObject<HTMLInputElement | null>;
  readonly onChange: (value: string) => void;
}

/** The typed text, shown while the address holds one of the values `over`; the last is the one committed. */
interface Draft {
  readonly text: string;
  readonly over: readonly string[];
}

/** Searches names and content, shortly after the last key press. */
export function SearchBox({ value, problem, inputRef, onChange }: SearchBoxProps) {
  const [draft, setDraft] = useState<Draft | null>(null);
  // Any other value in the address (cleared filters, Back) replaces the typed text.
  const current = draft?.over.includes(value) ? draft : { text: value, over: [value] };
  // The committed text is in the address: an older value from now on comes from elsewhere (Back).
  if (current.over.length > 1 && current.over.at(-1) === value) {
    setDraft({ ...current, over: [value] });
  }
  const { text } = current;
  const commit = (wanted: string) => {
    const sought = wanted.trim();
    setDraft({ text: wanted, over: [value, sought] });
    if (sought !== value) onChange(sought);
  };
  const commitLater = useEffectEvent(commit);
  useEffect(() => {
    if (draft === null || draft.text.trim() === draft.over.at(-1)) return;
    const timer = setTimeout(() => commitLater(draft.text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [draft]);
  return (
    <search className="relative flex w-76 max-w-full min-w-0 max-md:w-full">
      <Search
        size={15}
        aria-hidden
        className="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-ink-soft"
      />
      <TextInput
        ref={inputRef}
        type="text"
        inputMode="search"
        aria-label="Search names and content"
        aria-invalid={problem !== undefined || undefined}
        title={'All words, "a phrase" or a prefix*'}
        placeholder={'Search: words, "phrase", prefix*'}
        autoComplete="off"
        spellCheck={false}
        className={text === "" ? "pl-8" : "pr-8 pl-8"}
        value={text}
        onChange={(event) => setDraft({ ...current, text: event.target.value })}
        onKeyDown={(event) => {
          if (event.key === "Enter") commit(text);
          if (event.key !== "Escape") return;
          if (text === "") event.currentTarget.blur();
          else commit("");
        }}
      />
      {text !== "" && (
        <IconButton
          icon={X}
          label="Clear search"
          className="absolute top-0.5 right-0.5"
          onClick={() => {
            commit("");
            inputRef.current?.focus();
          }}
        />
      )}
    </search>
  );
}
