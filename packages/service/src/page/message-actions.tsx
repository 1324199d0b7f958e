import type { Message } from '@botwright/protocol'
import { useState } from 'preact/hooks'
import { remove, toggleReaction } from './actions.ts'
import { Dialog } from './dialog.tsx'
import type { IconName } from './icons.tsx'
import { Icon } from './icons.tsx'
import { focusComposer } from './focus.ts'
import { ReactionPicker } from './reactions.tsx'
import { editing, person, replyTo, view } from './store.ts'

function Action({ icon, label, onClick }: { icon: IconName; label: string; onClick: () => void }) {
  return (
    <button type="button" class="action" aria-label={label} title={label} onClick={onClick}>
      <Icon name={icon} />
    </button>
  )
}

function ConfirmDelete({ message, onClose }: { message: Message; onClose: () => void }) {
  const confirm = () => {
    onClose()
    void remove(message)
  }
  return (
    <Dialog title="Delete this message?" onClose={onClose}>
      <p>It disappears for everyone. This cannot be undone.</p>
      <div class="dialog-actions">
        <button type="button" class="button button-secondary" onClick={onClose}>
          Keep
        </button>
        <button type="button" class="button button-danger" onClick={confirm}>
          Delete
        </button>
      </div>
    </Dialog>
  )
}

/** What can be done with a message; shown on hover and focus. */
export function MessageActions({ message }: { message: Message }) {
  const [open, setOpen] = useState<'picker' | 'delete' | undefined>()
  const close = () => setOpen(undefined)
  const own = message.author_id === person.value?.id
  const mayDelete = own || (message.server_id !== null && view.value?.permissions.includes('manage_messages'))
  return (
    <div class={open === undefined ? 'actions' : 'actions is-open'} role="group" aria-label="Message actions">
      <Action icon="smile" label="Add reaction" onClick={() => setOpen(open === 'picker' ? undefined : 'picker')} />
      <Action
        icon="reply"
        label="Reply"
        onClick={() => {
          replyTo.value = message
          focusComposer()
        }}
      />
      {own && <Action icon="edit" label="Edit" onClick={() => (editing.value = message.id)} />}
      {mayDelete && <Action icon="trash" label="Delete" onClick={() => setOpen('delete')} />}
      {open === 'picker' && (
        <ReactionPicker
          onClose={close}
          onPick={(emoji) => {
            close()
            void toggleReaction(message, emoji)
          }}
        />
      )}
      {open === 'delete' && <ConfirmDelete message={message} onClose={close} />}
    </div>
  )
}
