import { describe, expect, it, vi } from "vitest";
import { ContextSlot, captureContext, outsideContext } from "./context-slot.ts";

describe("a slot", () => {
  it("holds a value for what runs in it, through awaits, and for nothing else", async () => {
    const slot = new ContextSlot<string>("test");
    const inside = slot.run("a", async () => {
      await Promise.resolve();
      return [slot.run("b", () => slot.get()), slot.get()];
    });
    expect(slot.get()).toBeUndefined();
    expect(await inside).toEqual(["b", "a"]);
  });

  it("is restored where it was captured, and empty outside", () => {
    const slot = new ContextSlot<string>("test");
    const here = slot.run("a", () => captureContext());
    const nowhere = captureContext();
    slot.run("b", () => {
      expect(here(() => slot.get())).toBe("a");
      expect(nowhere(() => slot.get())).toBeUndefined();
      expect(outsideContext(() => slot.get())).toBeUndefined();
      expect(slot.get()).toBe("b");
    });
  });

  it("is left even by what was started inside and goes on", async () => {
    const slot = new ContextSlot<string>("test");
    const leave = slot.enter("a");
    const later = (async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return slot.get();
    })();
    expect(slot.get()).toBe("a");
    leave();
    expect(slot.get()).toBeUndefined();
    expect(await later).toBeUndefined();
  });
});

describe("where the runtime has no AsyncLocalStorage", () => {
  it("holds for code that does not await, and tells what to write instead of using", async () => {
    vi.resetModules();
    const find = vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined as never);
    const { ContextSlot: Slot } = await import("./context-slot.ts");
    find.mockRestore();
    const slot = new Slot<string>("test");
    expect(slot.run("a", () => [slot.run("b", () => slot.get()), slot.get()])).toEqual(["b", "a"]);
    expect(slot.get()).toBeUndefined();
    expect(() => slot.enter("a")).toThrow("pass a callback instead");
  });
});
