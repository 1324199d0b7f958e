import { isEditorLink, type Timeline, type TimelineStep, type TimelineValue } from '@botwright/protocol/timeline'
import { useState } from 'preact/hooks'
import type { TimelineSummary } from '../../people.ts'
import { Cause, EditorLink } from '../components/failure.tsx'
import { Icon, type IconName } from '../components/icons.tsx'
import { RunAgain, RunResult } from '../components/run-again.tsx'
import { isOwnWork, useTimeline } from '../state/timelines.ts'
import { Json } from './json.tsx'
import { withNames } from '../state/inspector.ts'

const icons: Readonly<Record<string, IconName>> = {
  received: 'newest',
  queued: 'pause',
  matched: 'goto',
  unmatched: 'question',
  continued: 'goto',
  middleware: 'code',
  guard: 'lock',
  handler: 'code',
  state: 'save',
  wait: 'pause',
  call: 'outgoing',
  finished: 'check',
}

/** `0.4 ms`, `12 ms`, `1.5 s`, `2 min`. */
export function spanText(ms: number): string {
  if (ms < 10) return `${Math.round(ms * 10) / 10} ms`
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 120_000) return `${Math.round(ms / 100) / 10} s`
  return `${Math.round(ms / 60_000)} min`
}

const isBad = (step: TimelineStep): boolean =>
  (step.kind === 'guard' && !step.passed) ||
  (step.kind === 'call' && !step.ok) ||
  (step.kind === 'unmatched' && !step.to && step.file === undefined) ||
  (step.kind === 'finished' && step.result !== 'ok' && step.result !== 'passed')

const jsonOf = (value: TimelineValue): string => ('cut' in value ? `${value.json}…` : JSON.stringify(value.value))

/** The values of a step that have no room in its line. */
function valuesOf(step: TimelineStep): { label: string; text: string }[] {
  const values: { label: string; text: string }[] = []
  if (step.kind === 'state') {
    if (step.before) values.push({ label: 'Before', text: jsonOf(step.before) })
    if (step.after) values.push({ label: 'After', text: jsonOf(step.after) })
  }
  if (step.kind === 'call') {
    if (step.input !== undefined) values.push({ label: step.name, text: JSON.stringify(step.input) })
    if (step.response !== undefined) values.push({ label: 'Response', text: JSON.stringify(step.response) })
  }
  return values
}

/** The time of the step within the event, as a part of its width. */
function Bar({ step, totalMs }: { step: TimelineStep; totalMs: number }) {
  const part = (ms: number) => `${Math.min(100, (ms / totalMs) * 100)}%`
  const style = { '--from': part(step.atMs), '--length': part(step.ms ?? 0) }
  return <span class="step-bar" style={style} aria-hidden="true" />
}

/** The line of a step, with the place in the code as a link to the editor. */
function StepText({ step: { text, at, link } }: { step: TimelineStep }) {
  const start = at === undefined ? -1 : text.lastIndexOf(at)
  if (at === undefined || link === undefined || !isEditorLink(link) || start < 0) return <>{withNames(text)}</>
  return (
    <>
      {withNames(text.slice(0, start))}
      <a class="step-link" href={link} title="Open in editor">
        {at}
      </a>
      {withNames(text.slice(start + at.length))}
    </>
  )
}

function Step({ step, totalMs }: { step: TimelineStep; totalMs: number }) {
  const [open, setOpen] = useState(false)
  const values = valuesOf(step)
  const bad = isBad(step)
  const status = step.kind === 'call' && !step.ok ? (step.status ?? step.code) : undefined
  const line = (
    <>
      <span class="step-icon">
        <Icon name={bad && step.kind === 'finished' ? 'close' : (icons[step.kind] ?? 'right')} size={12} />
      </span>
      <span class="step-text">{values.length === 0 ? <StepText step={step} /> : withNames(step.text)}</span>
      {status !== undefined && <span class="entry-status is-bad">{status}</span>}
      <span class="step-time">
        {step.ms !== undefined && step.ms >= 0.1 && <b>{spanText(step.ms)}</b>}
        <span title="After the bot received the event">+{spanText(step.atMs)}</span>
      </span>
      {step.ms !== undefined && <Bar step={step} totalMs={totalMs} />}
    </>
  )
  return (
    <li class={`step step-${step.kind}${bad ? ' is-bad' : ''}`}>
      {values.length === 0 ? (
        <div class="step-line">{line}</div>
      ) : (
        <button type="button" class="step-line" aria-expanded={open} onClick={() => setOpen(!open)}>
          {line}
        </button>
      )}
      {open && (
        <div class="step-values">
          {values.map(({ label, text }) => (
            <Json key={label} label={label} text={text} />
          ))}
        </div>
      )}
    </li>
  )
}

function Steps({ timeline }: { timeline: Timeline }) {
  const totalMs = Math.max(0.001, ...timeline.steps.map(({ atMs, ms = 0 }) => atMs + ms))
  return (
    <ol class="steps" aria-label={`Timeline of ${timeline.event.title}`}>
      {timeline.steps.map((step, index) => (
        <Step key={index} step={step} totalMs={totalMs} />
      ))}
    </ol>
  )
}

const dataLabel = ({ type, event_id }: TimelineSummary): string =>
  event_id > 0 ? `Event ${event_id}` : type === 'route' ? 'Request' : 'Run'

/** The steps of one event, with the cause if its handler failed. `withData`: also what it contains, which the journal does not have. */
export function EventTimeline({ summary, withData }: { summary: TimelineSummary; withData: boolean }) {
  const timeline = useTimeline(summary)
  if (!timeline) return <p class="loading-note">Loading the timeline…</p>
  const { failure } = timeline
  const { data } = timeline.event
  return (
    <>
      {failure && (
        <div class="failure">
          <Cause failure={failure} />
          <div class="error-card-actions">
            <EditorLink failure={failure} />
            {!isOwnWork(summary) && <RunAgain summary={summary} />}
          </div>
          <RunResult summary={summary} />
        </div>
      )}
      <Steps timeline={timeline} />
      {withData && data && <Json label={dataLabel(summary)} text={JSON.stringify(data)} />}
    </>
  )
}
