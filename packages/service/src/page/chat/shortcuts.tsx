import { Dialog } from '../components/dialog.tsx'
import { messageKeys } from './messages/message-keys.ts'
import { overlay } from '../state/store.ts'

const everywhere: readonly (readonly [string, string])[] = [
  ['Ctrl K', 'Go to a channel, person or server'],
  ['Ctrl F', 'Search messages'],
  ['Alt ↑ / ↓', 'Previous or next channel'],
  ['Alt Shift ↑ / ↓', 'Previous or next unread channel'],
  ['Ctrl /', 'Show these shortcuts'],
  ['Esc', 'Close the open panel; mark the channel as read'],
]
const writing: readonly (readonly [string, string])[] = [
  ['Enter', 'Send'],
  ['Shift Enter', 'New line'],
  ['/ or !', 'Use a bot command'],
  ['@ and #', 'Mention a member or link a channel'],
  [':name', 'Insert an emoji'],
  ['↑', 'Edit your last message'],
  ['Shift Tab', 'Go to the messages; ↑ and ↓ move between them'],
]

const Keys = ({ title, keys }: { title: string; keys: readonly (readonly [string, string])[] }) => (
  <section>
    <h3>{title}</h3>
    <dl class="shortcuts">
      {keys.map(([key, what]) => (
        <div key={key}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
  </section>
)

/** The dialog that lists all keyboard shortcuts. */
export const Shortcuts = () => (
  <Dialog title="Keyboard shortcuts" wide onClose={() => (overlay.value = undefined)}>
    <div class="shortcut-columns">
      <Keys title="Everywhere" keys={everywhere} />
      <Keys title="Writing" keys={writing} />
      <Keys title="On a message" keys={messageKeys} />
    </div>
  </Dialog>
)
