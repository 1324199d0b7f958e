import { focusComposer } from '../composer/focus.ts'
import { commandsHere } from '../composer/completion.ts'
import { useNoPosting } from '../composer/posting.ts'
import { memberName } from '../../state/names.ts'
import { changeDraft, draftOf } from '../../state/drafts.ts'
import { channel, dm, place } from '../../state/store.ts'

/** What to type for a command: as its author shows it. */
const typed = ({ name, example }: ReturnType<typeof commandsHere>[number]): string => `/${name} ${example ?? ''}`

/** The start of a channel; in an empty channel, suggests what to do first. */
export function EmptyChannel({ quiet }: { quiet: boolean }) {
  const name = channel.value ? `#${channel.value.name}` : dm.value ? memberName(dm.value.user) : 'this channel'
  const title = <h2 dir="auto">{dm.value ? name : `Welcome to ${name}`}</h2>
  if (quiet)
    return (
      <header class="beginning is-quiet">
        {title}
        <p>This is the start of the conversation.</p>
      </header>
    )
  return (
    <header class="beginning">
      {title}
      <FirstSteps />
    </header>
  )
}

function FirstSteps() {
  const barred = useNoPosting()
  if (barred !== undefined) return <p>No messages yet. {barred}</p>
  const commands = commandsHere()
  const first =
    commands.find((each) => each.example !== undefined) ?? commands.find((each) => each.name === 'ping') ?? commands[0]
  if (!first)
    return (
      <p>
        No messages yet. Write one, or type <kbd>/ping</kbd> once a bot is running.
      </p>
    )
  const channelId = place.value.channelId ?? ''
  /** Writes a command into the input, but not over what the person has written. */
  const write = (command: string) => {
    const { text } = draftOf(channelId)
    if (text === '' || commands.some((each) => typed(each) === text)) changeDraft(channelId, { text: command })
    focusComposer()
  }
  const others = commands.filter((each) => each !== first).slice(0, 5)
  return (
    <>
      <p>
        No messages yet. Try {first.bot} with <kbd>{typed(first).trim()}</kbd>, or write a message.
      </p>
      <div class="suggestions">
        {[first, ...others].map((each) => (
          <button
            key={each.name}
            type="button"
            class="chip"
            title={each.description}
            onClick={() => write(typed(each))}
          >
            {each === first ? typed(each).trim() : `/${each.name}`}
          </button>
        ))}
      </div>
    </>
  )
}
