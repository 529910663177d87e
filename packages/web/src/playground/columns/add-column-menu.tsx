import { Columns2, Copy } from "lucide-react";
import { Button } from "../../design/button.tsx";
import { Menu, MenuHeading, MenuItem, MenuLine } from "../../design/menu.tsx";
import type { KnownConfigs } from "../state/column-base.ts";
import { type ConfigSource, parseSource } from "../state/config-source.ts";
import { configChoices } from "./config-choices.ts";

interface AddColumnMenuProps {
  readonly known: KnownConfigs;
  readonly onAdd: (source: ConfigSource) => void;
  /** A copy of the last column, to be edited beside it. */
  readonly onCopy: () => void;
}

/** What to compare with. */
export function AddColumnMenu({ known, onAdd, onCopy }: AddColumnMenuProps) {
  return (
    <Menu
      trigger={
        <Button>
          <Columns2 size={15} aria-hidden />
          Compare
        </Button>
      }
    >
      <MenuItem onSelect={onCopy}>
        <Copy size={15} aria-hidden className="text-ink-soft" />A copy, to edit
      </MenuItem>
      <MenuLine />
      {configChoices(known).map(({ name, choices }) => (
        <div key={name}>
          <MenuHeading>{name}</MenuHeading>
          {choices.map(({ value, label, isEmpty }) => (
            <MenuItem
              key={value}
              disabled={isEmpty}
              onSelect={() => {
                const source = parseSource(value);
                if (source !== null) onAdd(source);
              }}
            >
              {label}
            </MenuItem>
          ))}
        </div>
      ))}
    </Menu>
  );
}
