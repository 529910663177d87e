import { useId } from "react";
import { Dialog } from "../../design/dialog.tsx";
import { Checkbox } from "../../design/field.tsx";
import { LIST_KEYS } from "./use-list-keys.ts";

interface KeysHelpProps {
  readonly hasCharacters: boolean;
  readonly onCharacters: (areOn: boolean) => void;
  readonly onClose: () => void;
}

/** The keys of the list, and whether those that are characters work. */
export function KeysHelp({ hasCharacters, onCharacters, onClose }: KeysHelpProps) {
  const id = useId();
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl className="grid grid-cols-[auto_1fr] items-center gap-x-4 gap-y-2">
        {LIST_KEYS.map(({ keys, does }) => (
          <div key={does} className="contents">
            <dt className="flex gap-1">
              {keys.map((key) => (
                <kbd
                  key={key}
                  className="min-w-6 rounded border border-line-strong/50 bg-sunken px-1.5 py-0.5 text-center font-sans text-xs"
                >
                  {key}
                </kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <label htmlFor={id} className="flex items-center gap-2 border-t border-line pt-3">
        <Checkbox
          id={id}
          checked={hasCharacters}
          onChange={(event) => onCharacters(event.target.checked)}
        />
        Letters and signs work as keys
      </label>
    </Dialog>
  );
}
