/** HTML in which every text is escaped: only `element` and `text` make it. */
export type Markup = string & { readonly [written]: true };
declare const written: unique symbol;

/** The attributes that the first rows have. A new one must not be a script, a style or an address from a record. */
type Attributes = Partial<
  Record<"aria-current" | "aria-hidden" | "datetime" | "dir" | "href" | "tabindex", string> &
    Record<`data-${string}`, string>
>;

/** An element with classes and content. Text is never markup here. */
export function element(
  name: "a" | "bdi" | "div" | "noscript" | "p" | "span" | "time",
  className: string,
  content: readonly Markup[] = [],
  attributes: Attributes = {},
): Markup {
  const all = className === "" ? attributes : { class: className, ...attributes };
  const written = Object.entries(all).map(([key, value]) => ` ${key}="${escaped(String(value))}"`);
  return `<${name}${written.join("")}>${content.join("")}</${name}>` as Markup;
}

/** No letter that is written from right to left, and nothing that reorders text. */
const LEFT_TO_RIGHT = /^[\t-\u058F\u2018-\u2027]*$/;

/** Recorded text: it keeps its direction to itself. */
export function recorded(content: string, className = ""): Markup {
  const isPlain = className === "" && LEFT_TO_RIGHT.test(content);
  return isPlain ? text(content) : element("bdi", className, [text(content)]);
}

export function text(content: string): Markup {
  return escaped(content) as Markup;
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  // A parser would read a line feed instead, and nothing instead of a NUL.
  "\r": "&#13;",
  "\0": "\uFFFD",
};

/** For text and for attribute values, which are in double quotes. */
function escaped(content: string): string {
  return content.replace(/[&<>"\r\0]/g, (character) => ESCAPES[character] ?? "");
}
