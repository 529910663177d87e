const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [...'"\\[]{}'].map(
  (letter) => letter.charCodeAt(0),
);

/**
 * Whether JSON nests lists and objects deeper than this. Looks at the text: a megabyte of brackets
 * would become a gigabyte of lists, and what walks them later would run out of stack.
 */
export function isNestedDeeper(json: string, levels: number): boolean {
  let depth = 0;
  let isText = false;
  for (let n = 0; n < json.length; n++) {
    const code = json.charCodeAt(n);
    if (isText) {
      if (code === BACKSLASH) n++;
      else if (code === QUOTE) isText = false;
    } else if (code === QUOTE) {
      isText = true;
    } else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      if (++depth > levels) return true;
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
      depth--;
    }
  }
  return false;
}
