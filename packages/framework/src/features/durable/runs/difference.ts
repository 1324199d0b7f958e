// How a run that does not repeat its record differs from it.

import { BotwrightError } from '@botwright/protocol/facts'
import type { Intent } from '../stored/run-log.ts'

/** How a step differs from its record; undefined if it is the same. Other code may have other arguments: texts can be edited. */
export function differenceOf(recorded: Intent, issued: Intent): 'step' | 'args' | undefined {
  if (recorded.kind !== issued.kind || recorded.name !== issued.name) return 'step'
  return recorded.codeId === issued.codeId && recorded.args !== issued.args ? 'args' : undefined
}

/** `fact`: what the code does now. `recorded`: what it did before. */
export function notDeterministic(
  fact: string,
  recorded: Intent | undefined,
  differs?: 'step' | 'args',
): BotwrightError {
  const which = differs === 'args' ? ' with other arguments' : ''
  const before = recorded
    ? `${recorded.kind} "${recorded.name}"${which} (${recorded.place})`
    : 'the result of an earlier step'
  return new BotwrightError(
    'ERR_NOT_DETERMINISTIC',
    `${fact} ${before}: the code changed, or it depends on something outside of ctx. Use ctx.now(), ctx.random() and ctx.uuid(), and put other effects into ctx.step`,
  )
}
