import { useState } from "react";

/** A switch of the page that stays as this reader has left it. */
export function useKeptFlag(key: string): readonly [boolean, (isOn: boolean) => void] {
  const [isOn, setOn] = useState(() => localStorage.getItem(key) === "true");
  const keep = (next: boolean) => {
    localStorage.setItem(key, String(next));
    setOn(next);
  };
  return [isOn, keep];
}
