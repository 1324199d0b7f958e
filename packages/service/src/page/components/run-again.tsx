import type { Replay, TimelineSummary } from '../../people.ts'
import { Icon } from './icons.tsx'
import { withNames } from '../state/inspector.ts'
import { useTabStop } from './tab-stop.ts'
import { replays, startReplay, timelineKey } from '../state/timelines.ts'

const lastReplay = ({ bot_id, event_id }: TimelineSummary): Replay | 'running' | undefined =>
  replays.value[timelineKey(bot_id, event_id)]

const verdicts: Readonly<Record<Replay['verdict'], string>> = {
  same: 'The current code answers the same',
  different: 'The current code answers something else',
  error: 'The current code fails',
  fixed: 'The current code does not fail',
  unhandled: 'No file handles the event',
  skipped: 'The event cannot run again',
  failed: 'The current code does not run',
}

/** Runs the event through the code as it is now, without sending anything. */
export function RunAgain({ summary }: { summary: TimelineSummary }) {
  const running = lastReplay(summary) === 'running'
  return (
    <button
      type="button"
      class="button button-secondary button-small"
      tabIndex={useTabStop()}
      disabled={running}
      aria-busy={running}
      title="Sends nothing"
      onClick={() => void startReplay(summary)}
    >
      <Icon name="play" size={12} />
      {running ? 'Running…' : 'Run with current code'}
    </button>
  )
}

const Answers = ({ title, lines }: { title: string; lines: readonly string[] }) => (
  <div class="replay-side">
    <h3>{title}</h3>
    {lines.map((line, index) => (
      <p key={index} dir="auto">
        {withNames(line)}
      </p>
    ))}
  </div>
)

/** The recorded answer beside that of the current code. */
export function RunResult({ summary }: { summary: TimelineSummary }) {
  const last = lastReplay(summary)
  const replay = last === 'running' ? undefined : last
  return (
    <div class="replay-status" role="status">
      {replay && (
        <section class={`replay is-${replay.verdict}`} aria-label="Result with the current code">
          <p class="replay-verdict">{verdicts[replay.verdict]}</p>
          <div class="replay-sides">
            {replay.was.length > 0 && <Answers title="It answered" lines={replay.was} />}
            <Answers title={replay.verdict === 'failed' ? 'Reason' : 'It would answer now'} lines={replay.now} />
          </div>
        </section>
      )}
    </div>
  )
}
