/** Whether the person types in the other half of the split screen. Both halves have one origin. */
function typesInOtherHalf(): boolean {
  // Elements of the window around this one: `instanceof` does not recognise them.
  const own = window.frameElement
  const focused = own?.ownerDocument.activeElement as HTMLIFrameElement | null | undefined
  return focused !== own && focused?.contentDocument?.activeElement?.matches('input, textarea, select') === true
}

/** Focuses an element, unless the person types in the other half of the split screen: the focus would take their keys with it. */
export function takeFocus(element: HTMLElement | null | undefined, options?: FocusOptions): void {
  if (!typesInOtherHalf()) element?.focus(options)
}

/** Whether a key belongs to an input method. Safari ends the composition before it reports the Enter that confirms a word, with this code. */
export const isComposing = (event: KeyboardEvent): boolean => event.isComposing || event.keyCode === 229
