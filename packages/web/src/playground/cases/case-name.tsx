import { useState } from "react";
import { TextInput } from "../../design/text-input.tsx";

interface CaseNameProps {
  readonly name: string;
  readonly isRenaming: boolean;
  readonly onRename: (name: string) => void;
}

/** What a case is called; while it is being renamed, a box with it. */
export function CaseName({ name, isRenaming, onRename }: CaseNameProps) {
  if (!isRenaming) return <h2 className="min-w-0 truncate font-semibold">{name}</h2>;
  return <NameBox name={name} onRename={onRename} />;
}

function NameBox({ name, onRename }: Omit<CaseNameProps, "isRenaming">) {
  const [typed, setTyped] = useState(name);
  const finish = () => onRename(typed.trim() || name);
  return (
    <TextInput
      aria-label={`New name of ${name}`}
      value={typed}
      ref={(box) => box?.select()}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={finish}
      onKeyDown={(event) => {
        if (event.key === "Enter") finish();
        if (event.key === "Escape") onRename(name);
      }}
      className="max-w-64"
    />
  );
}
