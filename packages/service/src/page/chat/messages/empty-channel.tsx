import { focusComposer } from '../composer/focus.ts'
import { commandsHere } from '../composer/completion.ts'
import { memberName } from '../../state/names.ts'
import { channel, dm, drafts, place } from '../../state/store.ts'

/** The start of a channel; in an empty channel, suggests what to do first. */
export function EmptyChannel({ quiet }: { quiet: boolean }) {
  const name = channel.value ? `#${channel.value.name}` : dm.value ? memberName(dm.value.user) : 'this channel'
  const commands = commandsHere()
  const first = commands.find((each) => each.name === 'ping') ?? commands[0]
  const type = (command: string) => {
    drafts.value = { ...drafts.value, [place.value.channelId ?? '']: `/${command} ` }
    focusComposer()
  }
  return (
    <header class={quiet ? 'beginning is-quiet' : 'beginning'}>
      <h2>{dm.value ? name : `Welcome to ${name}`}</h2>
      {quiet ? (
        <p>This is the start of the conversation.</p>
      ) : first ? (
        <>
          <p>
            No messages yet. Type <kbd>/{first.name}</kbd> to try {first.bot}.
          </p>
          <div class="suggestions">
            {commands.slice(0, 6).map((each) => (
              <button
                key={each.name}
                type="button"
                class="chip"
                title={each.description}
                onClick={() => type(each.name)}
              >
                /{each.name}
              </button>
            ))}
          </div>
        </>
      ) : (
        <p>
          No messages yet. Write one, or type <kbd>/ping</kbd> once a bot is running.
        </p>
      )}
    </header>
  )
}
