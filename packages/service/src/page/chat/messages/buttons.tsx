import type { Message } from '@botwright/protocol'
import { useState } from 'preact/hooks'
import { click } from '../../state/actions.ts'
import { Dialog } from '../../components/dialog.tsx'
import { Icon } from '../../components/icons.tsx'
import { safeLink } from '../../components/links.ts'
import { clickKey, clicks } from '../../state/store.ts'
import { useTabStop } from '../../components/tab-stop.ts'

type ButtonData = Message['components'][number]['components'][number]

function Leaving({ url, onClose }: { url: string; onClose: () => void }) {
  return (
    <Dialog title="You are leaving the chat" onClose={onClose}>
      <p>This button opens an external site:</p>
      <p class="leaving-url">{url}</p>
      <div class="dialog-actions">
        <button type="button" class="button button-secondary" onClick={onClose}>
          Stay here
        </button>
        <a class="button button-primary" href={url} target="_blank" rel="noopener noreferrer" onClick={onClose}>
          Open link
        </a>
      </div>
    </Dialog>
  )
}

function MessageButton({ message, button }: { message: Message; button: ButtonData }) {
  const [leaving, setLeaving] = useState(false)
  const waiting = clicks.value[clickKey(message.id, button.custom_id ?? '')] === 'waiting'
  const link = safeLink(button.url)
  const press = () => {
    if (button.style === 'link') setLeaving(true)
    else if (!waiting) void click(message, button.custom_id)
  }
  return (
    <>
      <button
        type="button"
        class={`button button-${button.style} ${waiting ? 'is-waiting' : ''}`}
        disabled={button.disabled}
        aria-busy={waiting}
        dir="auto"
        tabIndex={useTabStop()}
        onClick={press}
      >
        <span class="button-face">
          {button.emoji !== undefined && <span class="button-emoji">{button.emoji}</span>}
          {button.label}
          {button.style === 'link' && <Icon name="external" size={13} />}
        </span>
        {waiting && <span class="spinner" />}
      </button>
      {leaving && link !== undefined && <Leaving url={link} onClose={() => setLeaving(false)} />}
    </>
  )
}

/** The rows of buttons under a message, and whether the last click failed (§3, Interaction lifecycle). */
export function Buttons({ message }: { message: Message }) {
  if (message.components.length === 0) return null
  const all = message.components.flatMap((row) => row.components)
  const failed = all.some((button) => clicks.value[clickKey(message.id, button.custom_id ?? '')] === 'failed')
  return (
    <div class="button-rows">
      {message.components.map((row, r) => (
        <div key={r} class="button-row">
          {row.components.map((button, b) => (
            <MessageButton key={b} message={message} button={button} />
          ))}
        </div>
      ))}
      <div role="status">{failed && <p class="click-failed">This interaction failed</p>}</div>
    </div>
  )
}
