import type { EventType } from '@botwright/protocol/shapes'
import { eventTypes } from '@botwright/protocol/facts'
import * as z from 'zod'
import { type Duration, durationExamples, parseDuration } from '../../author/duration.ts'
import type { CatchUpLimit } from '../../author/config/catch-up-limit.ts'

const limit = (isClick: boolean) =>
  z.unknown().transform((value, context): CatchUpLimit => {
    if (value === 'all' || (isClick && value === 'open')) return value
    const ms = typeof value === 'string' ? parseDuration(value) : value
    if (typeof ms === 'number' && Number.isFinite(ms) && ms >= 0) return Math.round(ms)
    const open = isClick ? " 'open' (while the click may be answered)," : ''
    const message = `must be 'all',${open} a duration such as ${durationExamples}, or a number of milliseconds`
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  })

/** Typed by hand: what a schema takes as `unknown` is narrower for authors. */
type LimitSchema<Input> = z.ZodType<CatchUpLimit, Input>
const other = limit(false) as unknown as LimitSchema<Duration | 'all'>
const click = limit(true) as unknown as LimitSchema<Duration | 'all' | 'open'>

type OtherType = Exclude<EventType, 'interaction'>
const types = Object.fromEntries(
  eventTypes.filter((type) => type !== 'interaction').map((type) => [type, other.optional()]),
) as Record<OtherType, z.ZodOptional<typeof other>>

/** `catchUp` of `bot.config.ts`: a limit for each event type, for types that the interface does not list, and for all others. */
export const CatchUp = z.strictObject({
  ...types,
  interaction: click.optional(),
  unknown: other.optional(),
  default: other.optional(),
})
