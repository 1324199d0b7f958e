import { isEditorLink, type TimelineFailure } from '@botwright/protocol/timeline'
import { Icon } from './icons.tsx'
import { useTabStop } from './tab-stop.ts'

/** The lines around the one that threw. */
function CodeFrame({ frame, at }: { frame: NonNullable<TimelineFailure['frame']>; at: string | undefined }) {
  return (
    <pre class="code-frame" aria-label={at === undefined ? 'Code' : `Code around ${at}`}>
      {frame.lines.map(({ number, text }) => (
        <span key={number} class={number === frame.line ? 'code-line is-guilty' : 'code-line'}>
          <span class="code-number">{number}</span>
          <code>{`${text}\n`}</code>
        </span>
      ))}
    </pre>
  )
}

/** The cause of a failure: its message, the code, and the errors that led to it. */
export function Cause({ failure }: { failure: TimelineFailure }) {
  const { frame, causes, at, message, name } = failure
  return (
    <>
      <p class="failure-message" dir="auto">
        {name !== undefined && !message.startsWith(name) && <b>{name}: </b>}
        {message}
      </p>
      {frame && <CodeFrame frame={frame} at={at} />}
      {causes.map((cause, index) => (
        <p key={index} class="failure-cause">
          caused by {cause.name !== undefined && <b>{cause.name}: </b>}
          {cause.message} {cause.at !== undefined && <code>{cause.at}</code>}
        </p>
      ))}
    </>
  )
}

/** Opens the line in the editor of this computer. */
export function EditorLink({ failure }: { failure: TimelineFailure }) {
  const tabIndex = useTabStop()
  // A program with the token of the bot can publish any link.
  if (failure.link === undefined || !isEditorLink(failure.link)) return null
  return (
    <a class="button button-secondary button-small" href={failure.link} tabIndex={tabIndex}>
      <Icon name="external" size={13} />
      Open in editor
    </a>
  )
}
