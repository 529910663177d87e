import { useState } from "react";
import { TextInput } from "../../design/field.tsx";

interface CaseNameProps {
  readonly name: string;
  readonly isRenaming: boolean;
  readonly onRename: (name: string) => void;
  /** The box is left by a key, and goes: something else should have the focus. */
  readonly onLeave: () => void;
}

/** What a case is called; while it is being renamed, a box with it. */
export function CaseName({ name, isRenaming, onRename, onLeave }: CaseNameProps) {
  if (!isRenaming) return <h2 className="min-w-0 truncate font-semibold">{name}</h2>;
  return <NameBox name={name} onRename={onRename} onLeave={onLeave} />;
}

/** When the box appears. One function for all of its renderings: another would select anew with every key. */
function selectAll(box: HTMLInputElement | null): void {
  box?.select();
}

function NameBox({ name, onRename, onLeave }: Omit<CaseNameProps, "isRenaming">) {
  const [typed, setTyped] = useState(name);
  const finish = () => onRename(typed.trim() || name);
  return (
    <TextInput
      aria-label={`New name of ${name}`}
      value={typed}
      ref={selectAll}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={finish}
      onKeyDown={(event) => {
        if (event.key !== "Enter" && event.key !== "Escape") return;
        if (event.key === "Enter") finish();
        else onRename(name);
        onLeave();
      }}
      className="max-w-64"
    />
  );
}
