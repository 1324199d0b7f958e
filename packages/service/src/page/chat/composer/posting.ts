import { useEffect, useReducer } from 'preact/hooks'
import { serviceNow } from '../../state/service-clock.ts'
import { channel, messages, person, place, slowSince, view } from '../../state/store.ts'
import { longTime } from '../../state/time.ts'

const isUnlimited = (): boolean =>
  channel.value !== undefined && (view.value?.unlimited_channel_ids.includes(channel.value.id) ?? false)

/** Renders the component again after this time, unless it is 0. */
function useRenderAfter(ms: number): void {
  const [, render] = useReducer((count: number, _: undefined) => count + 1, 0)
  useEffect(() => {
    if (ms <= 0) return
    const timer = setTimeout(() => render(undefined), ms)
    return () => clearTimeout(timer)
  })
}

const MINUTE_MS = 60_000

/** Why the person cannot post in the open channel; undefined if they can. */
export function useNoPosting(): string | undefined {
  const until = view.value?.members.find((each) => each.user_id === person.value?.id)?.timeout_until ?? null
  const leftMs = channel.value && until !== null ? Math.max(0, Date.parse(until) - serviceNow()) : 0
  useRenderAfter(Math.min(leftMs, MINUTE_MS))
  if (until !== null && leftMs > 0) return `You are timed out until ${longTime(until)}.`
  if (!channel.value?.read_only || isUnlimited()) return undefined
  return `#${channel.value.name} is read-only: only some roles can post here.`
}

/** Starts the slowmode of the open channel, if it has one for this person. */
export function beginSlowmode(channelId: string, waitMs = slowmodeMs()): void {
  if (channel.value?.id !== channelId || channel.value.slowmode === 0 || isUnlimited()) return
  slowSince.value = { ...slowSince.value, [channelId]: serviceNow() + waitMs - slowmodeMs() }
}

const slowmodeMs = (): number => (channel.value?.slowmode ?? 0) * 1000

/** The time that is left of the slowmode: its beginning is known from sending, or after a reload from the person's last message. */
function slowmodeLeftMs(channelId: string): number {
  const own = (messages.value[channelId] ?? []).findLast((each) => each.author_id === person.value?.id)
  const since = slowSince.value[channelId] ?? (own ? Date.parse(own.created_at) : -Infinity)
  // A message with a later time is from before the clock was set back.
  return Math.max(0, slowmodeMs() - Math.abs(serviceNow() - since))
}

/** The seconds until the person may post again in the open channel; counts down to 0. */
export function useSlowmode(): number {
  const channelId = place.value.channelId ?? ''
  const isSlow = (channel.value?.slowmode ?? 0) > 0 && !isUnlimited()
  const leftMs = isSlow ? slowmodeLeftMs(channelId) : 0
  useRenderAfter(leftMs > 0 ? leftMs % 1000 || 1000 : 0)
  return Math.ceil(leftMs / 1000)
}
