import type { Button } from '@botwright/protocol/shapes'
import type { Face } from './face.ts'
import { checkFace } from './face.ts'

/** No file name begins with it: clicks on these buttons are for the handler that waits for them. */
const MARK = '?'

/** A button for `ctx.clicked(message)`: `choice('yes', { label: 'Yes' })`; the click's `params` is `'yes'`. */
export function choice(value: string, face: Face): Button {
  checkFace(`choice(${JSON.stringify(value)})`, face)
  return { type: 'button', style: 'secondary', custom_id: MARK + value, ...face }
}

/** The value of a `choice()`; undefined for every other button. */
export const choiceOf = (custom_id: string): string | undefined =>
  custom_id.startsWith(MARK) ? custom_id.slice(MARK.length) : undefined
