import type { TimelineSummary } from '../../../people.ts'
import { Cause, EditorLink } from '../../components/failure.tsx'
import { Icon } from '../../components/icons.tsx'
import { showTimeline } from '../../state/inspector.ts'
import { useTabStop } from '../../components/tab-stop.ts'
import { RunAgain, RunResult } from '../../components/run-again.tsx'
import { failures, useTimeline } from '../../state/timelines.ts'

/** The headline of a failure by its result. */
const headlines: Readonly<Record<string, string>> = {
  timed_out: 'The handler did not finish in time',
  crashed: 'The handler crashed its thread',
  dead_lettered: 'The event was set aside after its last attempt',
}

function Card({ summary }: { summary: TimelineSummary }) {
  const failure = useTimeline(summary)?.failure
  const { title, at, file, error, result } = summary
  const place = at ?? file
  return (
    <div role="group" class="error-card" aria-label={`${title} failed${place === null ? '' : ` in ${place}`}`}>
      <header class="error-card-head">
        <Icon name="warning" size={15} />
        <h2>{headlines[result] ?? 'The handler failed'}</h2>
        {place !== null && <code>{place}</code>}
      </header>
      {failure ? <Cause failure={failure} /> : <p class="failure-message">{error}</p>}
      <div class="error-card-actions">
        {failure && <EditorLink failure={failure} />}
        <button
          type="button"
          class="button button-secondary button-small"
          tabIndex={useTabStop()}
          onClick={() => showTimeline(summary)}
        >
          <Icon name="inspect" size={13} />
          Timeline
        </button>
        <RunAgain summary={summary} />
        <span class="error-card-note" title="The owner of the bot sees this while framework dev runs it">
          Only you can see this
        </span>
      </div>
      <RunResult summary={summary} />
    </div>
  )
}

/** The failure of a handler at the message that caused it; only for the owner of the bot, while `framework dev` runs it. */
export function ErrorCard({ messageId }: { messageId: string }) {
  const summary = failures.value[messageId]
  return summary ? <Card key={`${summary.bot_id} ${summary.event_id}`} summary={summary} /> : null
}
