import { useEffect, useReducer } from 'preact/hooks'
import type { BotUsage } from '../../people.ts'
import { plural } from '../components/plural.ts'
import { isAhead, serviceNow } from '../state/service-clock.ts'
import { usage } from '../state/inspector.ts'

type Click = BotUsage['interactions'][number]

const TICK_MS = 250

/** The service's time; updates while something counts down. */
function useNow(counting: boolean): number {
  const [, render] = useReducer((count: number, _: undefined) => count + 1, 0)
  useEffect(() => {
    if (!counting) return
    const timer = setInterval(() => render(undefined), TICK_MS)
    return () => clearInterval(timer)
  }, [counting])
  return serviceNow()
}

const minutes = (ms: number): string => {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

function Meter({ label, used, of }: { label: string; used: number; of: number }) {
  const tone = used >= of ? 'is-full' : used >= of * 0.8 ? 'is-near' : ''
  return <meter class={`meter ${tone}`} aria-label={label} min={0} max={of} value={used} />
}

function Messages({ messages, now }: { messages: BotUsage['messages']; now: number }) {
  // The window slides: messages leave it as time passes, and the service sends updates only on activity.
  const waits = messages.used_until.map((each) => Date.parse(each) - now).filter((ms) => ms > 0)
  const used = waits.length
  const left = messages.of - used
  return (
    <li class="usage-row">
      <span class="usage-label">Messages this minute</span>
      <Meter label={`${used} of ${messages.of} messages this minute`} used={used} of={messages.of} />
      <span class="usage-number">
        {used} of {messages.of}
      </span>
      {left <= 5 && (
        <p class={left === 0 ? 'usage-note is-bad' : 'usage-note is-near'}>
          {left === 0
            ? `The next message gets 429 with Retry-After: ${Math.ceil(waits[0]! / 1000)} s.`
            : `${left} left, then 429 with Retry-After.`}
        </p>
      )}
    </li>
  )
}

function ClickRow({ click, now }: { click: Click; now: number }) {
  const waitMs = Date.parse(click.answer_until) - now
  const openMs = Date.parse(click.open_until) - now
  const late = click.answered_at !== null && click.answered_at > click.answer_until
  const failed = click.answered_at === null && waitMs <= 0
  const name = `“${click.custom_id}” by ${click.username}`
  return (
    <li class="usage-row">
      <span class="usage-label" title={name}>
        {name}
      </span>
      <Meter label={`${click.answers} of ${click.of} answers to ${name}`} used={click.answers} of={click.of} />
      <span class="usage-number">
        {click.answers} of {click.of}
      </span>
      {click.answered_at === null && waitMs > 0 && (
        <p class="usage-note is-near" role="timer">
          {(waitMs / 1000).toFixed(1)} s left to answer
        </p>
      )}
      {failed && (
        <p class="usage-note is-bad">
          No answer in time: {click.username} sees “This interaction failed”. The bot can still answer for{' '}
          {minutes(openMs)}.
        </p>
      )}
      {late && (
        <p class="usage-note is-bad">Answered too late: {click.username} saw “This interaction failed” first.</p>
      )}
      {click.answered_at !== null && !late && (
        <p class="usage-note">
          {click.answers >= click.of
            ? 'All answers are used up; the next one gets 429.'
            : `${plural(click.of - click.answers, 'answer')} left, open for ${minutes(openMs)}`}
        </p>
      )}
    </li>
  )
}

/** Used limits: messages in the last minute, and the clicks that are still open. */
export function Usage() {
  const used = usage.value
  const ends = [...(used?.messages.used_until ?? []), ...(used?.interactions ?? []).map((each) => each.open_until)]
  const counting = ends.some(isAhead)
  const now = useNow(counting)
  if (!used) return null
  const open = used.interactions.filter((each) => Date.parse(each.open_until) > now).slice(0, 3)
  return (
    <ul class="usage" aria-label="Limits" tabIndex={0}>
      <Messages messages={used.messages} now={now} />
      {open.map((click) => (
        <ClickRow key={click.id} click={click} now={now} />
      ))}
    </ul>
  )
}
