import type { Message } from '@botwright/protocol'
import { useState } from 'preact/hooks'
import { remove } from '../../state/actions.ts'
import { api } from '../../state/api.ts'
import { Dialog } from '../../components/dialog.tsx'
import { nameOf, toTyped } from '../../state/names.ts'
import { attempt, toast } from '../../state/toasts.ts'

type DialogProps = { message: Message; onClose: () => void }

const Excerpt = ({ message }: { message: Message }) => (
  <blockquote class="excerpt">
    <strong>{nameOf(message.author_id, message.author)}</strong>
    <span>{toTyped(message.content) || 'an embed'}</span>
  </blockquote>
)

export function DeleteDialog({ message, onClose }: DialogProps) {
  return (
    <Dialog title="Delete this message?" onClose={onClose}>
      <Excerpt message={message} />
      <p>This deletes the message for everyone and cannot be undone.</p>
      <div class="dialog-actions">
        <button type="button" class="button button-secondary" onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          class="button button-danger"
          onClick={() => {
            onClose()
            void remove(message)
          }}
        >
          Delete
        </button>
      </div>
    </Dialog>
  )
}

/** Reports a message that breaks the content rules (§1) to staff. */
export function ReportDialog({ message, onClose }: DialogProps) {
  const [reason, setReason] = useState('')
  const send = async () => {
    const done = await attempt(() => api.reports.create({ message_id: message.id, reason: reason.trim() }))
    if (!done) return
    toast('Message reported. Thank you.', 'note')
    onClose()
  }
  return (
    <Dialog title="Report this message" onClose={onClose}>
      <Excerpt message={message} />
      <form
        class="stacked-form"
        onSubmit={(event) => {
          event.preventDefault()
          if (reason.trim() !== '') void send()
        }}
      >
        <label>
          <span>What is wrong with it?</span>
          <input class="input" value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
        </label>
        <div class="dialog-actions">
          <button type="button" class="button button-secondary" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button button-danger" disabled={reason.trim() === ''}>
            Report
          </button>
        </div>
      </form>
    </Dialog>
  )
}
