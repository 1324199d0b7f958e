export const composerId = 'composer'
/** Puts the cursor into the message input. */
export const focusComposer = (): void => document.getElementById(composerId)?.focus()
