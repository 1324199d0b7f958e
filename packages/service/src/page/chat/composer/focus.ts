import { takeFocus } from '../../components/focus.ts'

export const composerId = 'composer'
/** Focuses the message input. */
export const focusComposer = (): void => takeFocus(document.getElementById(composerId))
