export const composerId = 'composer'
/** Focuses the message input. */
export const focusComposer = (): void => document.getElementById(composerId)?.focus()
