import { DropdownMenu, Popover as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { useId, useState } from "react";
import { classNames } from "./class-names.ts";

interface MenuProps {
  /** The button that opens it. */
  readonly trigger: ReactNode;
  readonly align?: "start" | "end";
  /** False where the chosen item moves the focus elsewhere, such as into a dialog. */
  readonly returnsFocus?: boolean;
  /** Why all items are disabled; null where they are not. */
  readonly refusal?: string | null;
  readonly children: ReactNode;
}

/** @example <Menu trigger={<IconButton …/>}><MenuItem onSelect={…}>Delete</MenuItem></Menu> */
export function Menu(props: MenuProps) {
  const { trigger, align = "end", returnsFocus = true, refusal = null, children } = props;
  const refusalId = useId();
  const [isOpen, setOpen] = useState(false);
  // Looked up when the menu opens and kept until the next time: a container that changed between two
  // renders would move the open menu in the document, which blurs and closes it.
  const [container, setContainer] = useState<HTMLElement | null>(null);
  const onOpenChange = (open: boolean) => {
    // Inside the main landmark: landmark navigation of screen readers skips everything outside.
    if (open) setContainer(document.querySelector("main"));
    setOpen(open);
  };
  return (
    // Not modal: a modal menu locks scrolling with a style element, which the content security policy forbids.
    <DropdownMenu.Root modal={false} open={isOpen} onOpenChange={onOpenChange}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal container={container}>
        <DropdownMenu.Content
          align={align}
          sideOffset={4}
          collisionPadding={8}
          aria-describedby={refusal === null ? undefined : refusalId}
          onCloseAutoFocus={(event) => {
            if (!returnsFocus) event.preventDefault();
          }}
          className="z-50 max-h-(--radix-dropdown-menu-content-available-height) max-w-[min(28rem,var(--radix-dropdown-menu-content-available-width))] min-w-44 overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-xl"
        >
          {refusal !== null && (
            <DropdownMenu.Label id={refusalId} className={HEADING_CLASS}>
              {refusal}
            </DropdownMenu.Label>
          )}
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
  /** Why the item is disabled, shown below it; null where it is not. */
  readonly refusal?: string | null;
  readonly children: ReactNode;
}

export function MenuItem(props: MenuItemProps) {
  const { onSelect, tone = "plain", disabled = false, refusal = null, children } = props;
  const isRefused = refusal !== null && !disabled;
  return (
    <DropdownMenu.Item
      onSelect={(event) => (isRefused ? event.preventDefault() : onSelect())}
      disabled={disabled}
      // Not `disabled`: the keyboard would skip the item, and its reason would not be read out.
      aria-disabled={disabled || isRefused}
      className={classNames(
        "flex min-h-8 cursor-pointer flex-col justify-center rounded-md px-2 wrap-anywhere outline-none select-none data-disabled:opacity-50 data-highlighted:bg-sunken",
        tone === "danger" && "text-danger",
      )}
    >
      <span className={classNames("flex items-center gap-2", isRefused && "opacity-50")}>
        {children}
      </span>
      {isRefused && <span className="max-w-64 pb-1.5 text-xs text-ink-soft">{refusal}</span>}
    </DropdownMenu.Item>
  );
}

const HEADING_CLASS = "px-2 py-1 text-xs font-medium text-ink-soft";

export function MenuHeading({ children }: { readonly children: ReactNode }) {
  return <DropdownMenu.Label className={HEADING_CLASS}>{children}</DropdownMenu.Label>;
}

export function MenuLine() {
  return <DropdownMenu.Separator className="mx-1 my-1 h-px bg-line" />;
}

interface PopoverProps {
  readonly trigger: ReactNode;
  readonly label: string;
  readonly open?: boolean;
  readonly onOpenChange?: (open: boolean) => void;
  readonly children: ReactNode;
}

/** A popover beside its button. */
export function Popover({ trigger, label, children, ...state }: PopoverProps) {
  return (
    <Radix.Root {...state}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          aria-label={label}
          align="start"
          sideOffset={4}
          collisionPadding={8}
          className="z-40 max-h-(--radix-popover-content-available-height) max-w-[calc(100vw-1rem)] overflow-y-auto rounded-lg border border-line bg-raised p-3 shadow-xl"
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
