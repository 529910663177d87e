import { DropdownMenu } from "radix-ui";
import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";

interface MenuProps {
  /** The button that opens it. */
  readonly trigger: ReactNode;
  readonly align?: "start" | "end";
  /** False while something else on the page takes the focus: a box that a choice has opened. */
  readonly returnsFocus?: boolean;
  readonly children: ReactNode;
}

/** @example <Menu trigger={<IconButton …/>}><MenuItem onSelect={…}>Delete</MenuItem></Menu> */
export function Menu({ trigger, align = "end", returnsFocus = true, children }: MenuProps) {
  return (
    // Not modal: that would lock the page's scrolling with a style element, which the policy forbids.
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align={align}
          sideOffset={4}
          collisionPadding={8}
          onCloseAutoFocus={(event) => {
            if (!returnsFocus) event.preventDefault();
          }}
          className="z-50 max-h-(--radix-dropdown-menu-content-available-height) min-w-44 overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-xl"
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

interface MenuItemProps {
  readonly onSelect: () => void;
  readonly tone?: "plain" | "danger";
  readonly disabled?: boolean;
  readonly children: ReactNode;
}

export function MenuItem({ onSelect, tone = "plain", disabled = false, children }: MenuItemProps) {
  return (
    <DropdownMenu.Item
      onSelect={onSelect}
      disabled={disabled}
      className={classNames(
        "flex h-8 cursor-pointer items-center gap-2 rounded-md px-2 outline-none select-none data-disabled:opacity-50 data-highlighted:bg-sunken",
        tone === "danger" && "text-danger",
      )}
    >
      {children}
    </DropdownMenu.Item>
  );
}

export function MenuHeading({ children }: { readonly children: ReactNode }) {
  return (
    <DropdownMenu.Label className="px-2 py-1 text-xs font-medium text-ink-soft">
      {children}
    </DropdownMenu.Label>
  );
}

export function MenuLine() {
  return <DropdownMenu.Separator className="mx-1 my-1 h-px bg-line" />;
}
