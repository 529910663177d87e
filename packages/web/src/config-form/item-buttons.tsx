import { ArrowDown, ArrowUp, X } from "lucide-react";
import { IconButton } from "../design/button.tsx";
import type { ListEdit } from "./list-edit.ts";

interface ItemButtonsProps {
  /** `item 2 of weights` */
  readonly name: string;
  readonly index: number;
  readonly length: number;
  readonly minItems: number;
  readonly onEdit: (edit: ListEdit) => void;
}

/** Moves an item of a list, or takes it out. */
export function ItemButtons({ name, index, length, minItems, onEdit }: ItemButtonsProps) {
  return (
    <div className="flex shrink-0">
      <IconButton
        icon={ArrowUp}
        label={`Move ${name} up`}
        data-list-place={`up ${index}`}
        disabled={index === 0}
        onClick={() => onEdit({ kind: "up", index })}
      />
      <IconButton
        icon={ArrowDown}
        label={`Move ${name} down`}
        data-list-place={`down ${index}`}
        disabled={index === length - 1}
        onClick={() => onEdit({ kind: "down", index })}
      />
      <IconButton
        icon={X}
        label={`Remove ${name}`}
        data-list-place={`remove ${index}`}
        disabled={length <= minItems}
        onClick={() => onEdit({ kind: "remove", index })}
      />
    </div>
  );
}
